#!/bin/bash
# A stand-in for the source tree above the program: tree/build/nvcosim ($TREE) with a Makefile whose simulators are scripts that behave as
# the name of their trace says. A file tree/fail makes the build fail. Included by tests.
mkdir -p tree/build
cp "$NVCOSIM" tree/build/nvcosim
TREE=$WORK/tree/build/nvcosim
cat >tree/Makefile <<'END'
suffix = $(if $(NAME),-$(NAME))$(if $(VARIANT),-$(VARIANT))
.PHONY: simulator
simulator:
	@echo "compiling $(CONFIG)$(suffix) $(FILELIST) $(TOP) $(VERILATOR_OPTIONS)"
	@test ! -e fail
	@sed "s/@WHO@/$(CONFIG)$(suffix)/" simulator > build/nvcosim-$(CONFIG)$(suffix)
	@chmod +x build/nvcosim-$(CONFIG)$(suffix)
	@echo "$(FILELIST) $(TOP) $(VERILATOR_OPTIONS)" > build/made
END
cat >tree/simulator <<'END'
#!/bin/bash
echo "simulator @WHO@: $*"
case "${*: -1}" in
*good*) [[ "$*" == *slow* ]] && sleep 0.3; exit 0 ;;
*badcrc*) exit 1 ;;
*hang*) exit 3 ;;
*sleeps*) echo $$ >>pids; exec sleep 60 ;;
*badreg*) kill -SEGV $$ ;;
*badgold*) exit 77 ;;
esac
END
