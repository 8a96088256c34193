/* The configuration space of NVDLA as a PCI function: one BAR with the register window, INTx, one MSI vector, and a
 * reset of the function (Advanced Features).
 *
 * Vendor 1d1d is no one's; device 0x5d1a is "NVDLA" here (docs/live.md). Class 12 00 00: processing accelerator. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PCI_VENDOR = 0x1d1d,
    PCI_DEVICE = 0x5d1a,
    PCI_SPACE = 256,        /* bytes */
    PCI_BAR_SIZE = 0x40000, /* NVDLA's register space */
};

struct pci {
    uint8_t bytes[PCI_SPACE];
    uint8_t writable[PCI_SPACE]; /* bits that the client may write */
};

void pci_reset(struct pci *pci);

/* Reads and writes n bytes at an offset; false if they are not all inside. */
bool pci_read(const struct pci *pci, uint64_t offset, uint8_t *bytes, size_t n);
bool pci_write(struct pci *pci, uint64_t offset, const uint8_t *bytes, size_t n);

/* True if the last write asked for a reset of the function. */
bool pci_take_reset(struct pci *pci);

bool pci_msi_enabled(const struct pci *pci);
bool pci_intx_disabled(const struct pci *pci);

/* Shows the level of the interrupt in the status register. */
void pci_show_interrupt(struct pci *pci, bool level);
