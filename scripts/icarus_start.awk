# Changes compiled Icarus code so that each always_comb block runs once at time 0.
#
# Icarus 11 makes each block wait for the event E_0x0 too. It comes at time 0, but also again in every time step, in some steps without
# end. After the change a thread begins with the body of its block, and then waits only for the signals that the block reads.
#
# usage: awk -f icarus_start.awk IN.vvp >OUT.vvp     exit status 1 if no such block is found: another version of Icarus writes other code

/^T_[0-9]+ ;$/ { thread = $1 }
/^Ewait_[0-9]+ \.event\/or .*, E_0x0;$/ {
    sub(/, E_0x0;$/, ";")
    waits = 1
}
waits && /^    %wait Ewait_/ {
    print
    print thread ".body ;"
    starts[thread] = 1
    waits = 0
    found++
    next
}
/^    \.thread T_[0-9]+, \$push;$/ {
    name = $2
    sub(/,$/, "", name)
    if (name in starts) {
        print name ".first ;"
        print "    %jmp " name ".body;"
        sub(name, name ".first")
    }
}
{ print }
END { exit !found }
