# Of what Icarus has compiled: how an always_comb is started at time 0.
#
# Icarus 11 lets each one wait for the event E_0x0 too, which comes at time 0, but also again in every step of time, in some steps without
# end. Here its thread begins with the body instead, and then waits for what it reads alone.
#
# usage: awk -f icarus_start.awk IN.vvp >OUT.vvp     status 1 if nothing is found: another version of Icarus writes something else

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
