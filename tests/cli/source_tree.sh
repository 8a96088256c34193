#!/bin/bash
# A stand-in for the source tree that belongs to a program: tree/build/nvcosim ($TREE) with a Makefile whose simulators are scripts. A script
# behaves as the name of its trace says. If the file tree/fail exists, the build fails. Sourced by tests.
mkdir -p tree/build
cp "$NVCOSIM" tree/build/nvcosim
ln -s "$ROOT/python" tree/python # its commands in Python
# shellcheck disable=SC2034 # for the files that include this one
TREE=$WORK/tree/build/nvcosim
cat >tree/Makefile <<'END'
B = build
suffix = $(if $(NAME),-$(NAME))$(if $(VARIANT),-$(VARIANT))
.PHONY: simulator simulator-base
simulator-base:
simulator:
	@echo "compiling $(CONFIG)$(suffix) $$FILELIST $$TOP $$VERILATOR_OPTIONS"
	@test ! -e fail
	@test -z "$(PROFILE)" -o ! -e fail_profile
	@sed "s/@WHO@/$(CONFIG)$(suffix)/" simulator > $(B)/nvcosim-$(CONFIG)$(suffix)
	@sed -i '1a case "$$*" in *--serve=*) exit 2 ;; esac # scripts do not copy themselves: one is started for each trace' $(B)/nvcosim-$(CONFIG)$(suffix)
	@chmod +x $(B)/nvcosim-$(CONFIG)$(suffix)
	@$(if $(NAME),printf 'FILELIST=%s\nTOP=%s\nVERILATOR_OPTIONS=%s\n' "$$FILELIST" "$$TOP" "$$VERILATOR_OPTIONS" > $(B)/$(CONFIG)-$(NAME).variables)
	@echo "$$FILELIST $$TOP $$VERILATOR_OPTIONS" > $(B)/made
	@echo "CXX=$(CXX) OPT=$(OPT) SIM_THREADS=$(SIM_THREADS) PROFILE=$(PROFILE) TRAINING=$(TRAINING)" > $(B)/how
	@echo . >> $(B)/builds
END
sed -i 's/@sed "s/@sed "s:@CONFIG@:$(CONFIG):;s/' tree/Makefile
cat >tree/simulator <<'END'
#!/bin/bash
echo "simulator @WHO@: $*"
# verdict VERDICT REASON: what a simulator says of a trace, as data
verdict() { echo "{\"verdict\":\"$1\",\"config\":\"@CONFIG@\",\"reason\":\"$2\",\"compared\":true}" >&3; }
case "${*: -1}" in
*good*) verdict PASS; exit 0 ;;
*badcrc*) verdict FAIL "the CRC is wrong"; exit 1 ;;
*hang*) verdict HANG "it hangs"; exit 3 ;;
*sleeps*) echo $$ >>pids; exec sleep 60 ;;
*badreg*) kill -SEGV $$ ;;
*badgold*) echo "out of luck" >&2; exit 77 ;;
*odd*) verdict PASS; exit 1 ;;
*stuck*) verdict PASS; kill -BUS $$ ;;
*open*) echo '{"verdict":"PASS","config":"large"}' >&3; exit 0 ;;
*refused*) echo '{"verdict":"PASS","config":"@CONFIG@","dut":"rtl:other"}' >&3; exit 0 ;;
*broken*) exit 0 ;;
esac
END
