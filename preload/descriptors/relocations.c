// SPDX-License-Identifier: BSD-3-Clause
// A library calls what it imports through addresses that the dynamic linker wrote into a table. They are found by the
// same relocations and written again. What was made read-only after that (RELRO) is made so again.
#define _GNU_SOURCE
#include "relocations.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    uintptr_t inside;
    const char *name;
    uintptr_t function;
    int changed;
} Search;

typedef struct {
    const ElfW(Rela) * first;
    size_t bytes;
} Table;

static const ElfW(Phdr) * header_of(const struct dl_phdr_info *library, ElfW(Word) type) {
    for (int i = 0; i < library->dlpi_phnum; ++i)
        if (library->dlpi_phdr[i].p_type == type) return &library->dlpi_phdr[i];
    return NULL;
}

static bool has(const struct dl_phdr_info *library, uintptr_t address) {
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        const ElfW(Phdr) *header = &library->dlpi_phdr[i];
        const uintptr_t begin = library->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && address >= begin && address - begin < header->p_memsz) return true;
    }
    return false;
}

static ElfW(Addr) entry_of(const ElfW(Dyn) * dynamic, ElfW(Sxword) tag) {
    for (; dynamic->d_tag != DT_NULL; ++dynamic)
        if (dynamic->d_tag == tag) return dynamic->d_un.d_ptr;
    return 0;
}

// Most dynamic linkers have added the library's own address to these already.
static uintptr_t address_of(const struct dl_phdr_info *library, ElfW(Addr) entry) {
    return entry < library->dlpi_addr ? library->dlpi_addr + entry : entry;
}

static bool is_read_only(const struct dl_phdr_info *library, uintptr_t address, uintptr_t page) {
    const ElfW(Phdr) *header = header_of(library, PT_GNU_RELRO);
    if (header == NULL) return false;
    const uintptr_t begin = library->dlpi_addr + header->p_vaddr;
    return address >= (begin & ~(page - 1)) && address < ((begin + header->p_memsz) & ~(page - 1));
}

static bool write_place(const struct dl_phdr_info *library, uintptr_t *place, uintptr_t function) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page_of_it = (void *)((uintptr_t)place & ~(page - 1));
    const bool read_only = is_read_only(library, (uintptr_t)place, page);
    if (read_only && mprotect(page_of_it, page, PROT_READ | PROT_WRITE) != 0) return false;
    __atomic_store_n(place, function, __ATOMIC_SEQ_CST);
    if (read_only) mprotect(page_of_it, page, PROT_READ);
    return true;
}

static void redirect_in_table(const struct dl_phdr_info *library, const ElfW(Dyn) * dynamic, Table table,
                              Search *search) {
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)address_of(library, entry_of(dynamic, DT_SYMTAB));
    const char *names = (const char *)address_of(library, entry_of(dynamic, DT_STRTAB));
    for (size_t i = 0; i < table.bytes / sizeof *table.first; ++i) {
        const ElfW(Rela) *relocation = &table.first[i];
        const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(relocation->r_info)];
        if (symbol->st_name == 0 || symbol->st_shndx != SHN_UNDEF) continue;
        if (strcmp(names + symbol->st_name, search->name) != 0) continue;
        uintptr_t *place = (uintptr_t *)(library->dlpi_addr + relocation->r_offset);
        if (*place != search->function && write_place(library, place, search->function)) ++search->changed;
    }
}

static int redirect_in(struct dl_phdr_info *library, size_t size, void *of_search) {
    (void)size;
    Search *search = of_search;
    if (!has(library, search->inside)) return 0;
    const ElfW(Phdr) *header = header_of(library, PT_DYNAMIC);
    if (header == NULL) return 1;
    const ElfW(Dyn) *dynamic = (const ElfW(Dyn) *)(library->dlpi_addr + header->p_vaddr);
    const Table called = {(const ElfW(Rela) *)address_of(library, entry_of(dynamic, DT_JMPREL)),
                          entry_of(dynamic, DT_PLTRELSZ)};
    const Table others = {(const ElfW(Rela) *)address_of(library, entry_of(dynamic, DT_RELA)),
                          entry_of(dynamic, DT_RELASZ)};
    if (entry_of(dynamic, DT_PLTREL) == DT_RELA) redirect_in_table(library, dynamic, called, search);
    redirect_in_table(library, dynamic, others, search);
    return 1;
}

int redirect_calls(uintptr_t inside, const char *name, uintptr_t function) {
    Search search = {inside, name, function, 0};
    dl_iterate_phdr(redirect_in, &search);
    return search.changed;
}
