// Planted faults (scripts/plant.py): what the design asks at each evaluation of an expression that a fault changes.
// Comes before everything that Verilator writes of such a design, which is compiled with COSIM_FAULTS, their number.
#ifndef TB_PLANTED_H
#define TB_PLANTED_H

#include <stdint.h>

extern uint8_t nvdla_faults_chosen[COSIM_FAULTS + 1]; // by number: 1 if it is there
extern uint8_t nvdla_faults_met[COSIM_FAULTS + 1];    // 1 if the changed expression ever had another value

// Is that fault there? differs: the changed expression has another value now.
static inline bool nvdla_fault(uint32_t number, bool differs) {
    nvdla_faults_met[number] |= differs;
    return nvdla_faults_chosen[number];
}

#endif
