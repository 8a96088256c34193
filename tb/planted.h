// Planted faults (scripts/plant.py): the function that the design calls in each evaluation of an expression that a
// fault changes. Included before all code that Verilator generates for such a design; COSIM_FAULTS is the number of
// faults.
#pragma once

#include <stdint.h>

extern uint8_t nvdla_faults_chosen[COSIM_FAULTS + 1]; // by number: 1 if it is active
extern uint8_t nvdla_faults_met[COSIM_FAULTS + 1];    // struct rtl_statistics

// True if that fault is active. differs: the changed expression has another value now.
static inline bool nvdla_fault(uint32_t number, bool differs) {
    nvdla_faults_met[number] |= uint8_t(2 | differs);
    return nvdla_faults_chosen[number];
}
