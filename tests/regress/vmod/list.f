// File list of the design for tests/regress/qualify.sh.
+incdir+.
-y lib
+libext+.v
top.v
