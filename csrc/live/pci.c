/* Configuration space, as the PCI Local Bus Specification 3.0 chapter 6 lays it out; see pci.h. */
#include "live/pci.h"

#include <string.h>

enum {
    OFFSET_COMMAND = 0x04,
    OFFSET_STATUS = 0x06,
    OFFSET_REVISION = 0x08,
    OFFSET_BAR0 = 0x10,
    OFFSET_SUBSYSTEM = 0x2c,
    OFFSET_CAPABILITIES = 0x34,
    OFFSET_LINE = 0x3c,
    OFFSET_PIN = 0x3d,
    OFFSET_MSI = 0x50,      /* its capability: 64-bit address, one vector */
    OFFSET_FEATURES = 0x60, /* capability of Advanced Features: a reset of the function */
};

enum {
    COMMAND_MEMORY = 2,
    COMMAND_MASTER = 4,
    COMMAND_NO_INTX = 0x400,
    STATUS_INTERRUPT = 8,
    STATUS_CAPABILITIES = 16
};
enum { CAPABILITY_MSI = 5, MSI_ENABLE = 1, MSI_64_BITS = 0x80 };
enum { CAPABILITY_FEATURES = 0x13, FEATURES_SIZE = 6, FEATURES_RESET = 3, FEATURES_DO_RESET = 1 };

static void put(struct pci *pci, size_t offset, uint32_t value, uint32_t writable, size_t n) {
    for (size_t i = 0; i < n; i++) {
        pci->bytes[offset + i] = (uint8_t)(value >> (8 * i));
        pci->writable[offset + i] = (uint8_t)(writable >> (8 * i));
    }
}

void pci_reset(struct pci *pci) {
    memset(pci, 0, sizeof *pci);
    put(pci, 0, PCI_VENDOR, 0, 2);
    put(pci, 2, PCI_DEVICE, 0, 2);
    put(pci, OFFSET_COMMAND, 0, COMMAND_MEMORY | COMMAND_MASTER | COMMAND_NO_INTX, 2);
    put(pci, OFFSET_STATUS, STATUS_CAPABILITIES, 0, 2);
    put(pci, OFFSET_REVISION, 0x12000001, 0, 4);
    put(pci, OFFSET_BAR0, 0, ~(uint32_t)(PCI_BAR_SIZE - 1), 4);
    put(pci, OFFSET_SUBSYSTEM, PCI_VENDOR | (uint32_t)PCI_DEVICE << 16, 0, 4);
    put(pci, OFFSET_CAPABILITIES, OFFSET_MSI, 0, 1);
    put(pci, OFFSET_LINE, 0, 0xff, 1);
    put(pci, OFFSET_PIN, 1, 0, 1); /* INTA */
    put(pci, OFFSET_MSI, CAPABILITY_MSI | OFFSET_FEATURES << 8, 0, 2);
    put(pci, OFFSET_MSI + 2, MSI_64_BITS, MSI_ENABLE, 2);
    put(pci, OFFSET_MSI + 4, 0, 0xfffffffc, 4);
    put(pci, OFFSET_MSI + 8, 0, 0xffffffff, 4);
    put(pci, OFFSET_MSI + 12, 0, 0xffff, 2);
    put(pci, OFFSET_FEATURES, CAPABILITY_FEATURES | FEATURES_SIZE << 16 | FEATURES_RESET << 24, 0, 4);
    put(pci, OFFSET_FEATURES + 4, 0, FEATURES_DO_RESET, 1);
}

static bool inside(uint64_t offset, size_t n) {
    return offset < PCI_SPACE && n <= PCI_SPACE - offset;
}

bool pci_read(const struct pci *pci, uint64_t offset, uint8_t *bytes, size_t n) {
    if (!inside(offset, n))
        return false;
    memcpy(bytes, pci->bytes + offset, n);
    return true;
}

bool pci_write(struct pci *pci, uint64_t offset, const uint8_t *bytes, size_t n) {
    if (!inside(offset, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        const uint8_t mask = pci->writable[offset + i];
        pci->bytes[offset + i] = (uint8_t)((pci->bytes[offset + i] & ~mask) | (bytes[i] & mask));
    }
    return true;
}

bool pci_take_reset(struct pci *pci) {
    const bool wanted = pci->bytes[OFFSET_FEATURES + 4] & FEATURES_DO_RESET;
    pci->bytes[OFFSET_FEATURES + 4] = 0; /* reads 0 */
    return wanted;
}

bool pci_msi_enabled(const struct pci *pci) {
    return pci->bytes[OFFSET_MSI + 2] & MSI_ENABLE;
}

bool pci_intx_disabled(const struct pci *pci) {
    return pci->bytes[OFFSET_COMMAND + 1] & (COMMAND_NO_INTX >> 8);
}

void pci_show_interrupt(struct pci *pci, bool level) {
    pci->bytes[OFFSET_STATUS] =
        (uint8_t)((pci->bytes[OFFSET_STATUS] & ~STATUS_INTERRUPT) | (level ? STATUS_INTERRUPT : 0));
}
