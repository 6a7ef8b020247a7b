#include "object/jit_elf.h"

#include <elf.h>

#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#else
#define NATIVE_MACHINE EM_NONE
#endif

enum { NONE, TEXT, EH_FRAME, NOTE, SYMTAB, STRTAB, SHSTRTAB, SECTIONS };

static const char section_names[] = "\0.text\0.eh_frame\0.note.gnu.build-id\0.symtab\0.strtab\0"
				    ".shstrtab";
static const uint8_t name_at[SECTIONS] = {0, 1, 7, 17, 36, 44, 52};

struct image {
	struct out *o;
	size_t start; /* in o */
	Elf64_Shdr sections[SECTIONS];
};

static void align(struct image *m, size_t to)
{
	while ((m->o->n - m->start) % to)
		out_char(m->o, '\0');
}

static void add(struct image *m, int section, uint32_t type, uint64_t flags, const void *p,
		size_t n)
{
	align(m, 8);
	Elf64_Shdr *s = &m->sections[section];
	*s = (Elf64_Shdr){.sh_name = name_at[section],
			  .sh_type = type,
			  .sh_flags = flags,
			  .sh_offset = m->o->n - m->start,
			  .sh_size = n,
			  .sh_addralign = 8};
	s->sh_addr = flags & SHF_ALLOC ? s->sh_offset : 0;
	out_bytes(m->o, p, n);
}

/* Of the code and its name: the same function at two places is two files. */
static void make_id(const struct jit_load *l, const char *name, struct build_id *id)
{
	*id = (struct build_id){.size = BUILD_ID_MAX};
	for (size_t i = 0; i < BUILD_ID_MAX; i += 4) {
		uint64_t h = hash_bytes(l->bytes, l->size, hash_bytes(name, strlen(name), i + 1));
		uint32_t word = (uint32_t)hash_mix(h, l->addr);
		memcpy(id->bytes + i, &word, sizeof word);
	}
}

static void add_note(struct image *m, const struct build_id *id)
{
	struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t id[BUILD_ID_MAX];
	} note = {.head = {4, BUILD_ID_MAX, NT_GNU_BUILD_ID}, .name = "GNU"};
	memcpy(note.id, id->bytes, BUILD_ID_MAX);
	add(m, NOTE, SHT_NOTE, SHF_ALLOC, &note, sizeof note);
	m->sections[NOTE].sh_addralign = 4;
}

static void add_symbol(struct image *m, const char *name, size_t size)
{
	Elf64_Sym symbols[2] = {{0},
				{.st_name = 1,
				 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				 .st_shndx = TEXT,
				 .st_value = JIT_ELF_TEXT,
				 .st_size = size}};
	add(m, SYMTAB, SHT_SYMTAB, 0, symbols, sizeof symbols);
	m->sections[SYMTAB].sh_link = STRTAB;
	m->sections[SYMTAB].sh_info = 1;
	m->sections[SYMTAB].sh_entsize = sizeof *symbols;
	add(m, STRTAB, SHT_STRTAB, 0, "", 1);
	out_bytes(m->o, name, strlen(name) + 1);
	m->sections[STRTAB].sh_size += strlen(name) + 1;
	add(m, SHSTRTAB, SHT_STRTAB, 0, section_names, sizeof section_names);
}

void jit_elf_write(struct out *o, const struct jit_table *t, const struct jit_code *c,
		   struct build_id *id)
{
	const struct jit_load *l = &t->loads.v[c->load - 1];
	struct image m = {.o = o, .start = o->n};
	Elf64_Ehdr head = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = (Elf64_Half)(t->machine ? t->machine : NATIVE_MACHINE),
		.e_version = EV_CURRENT,
		.e_phoff = sizeof head,
		.e_ehsize = sizeof head,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = SHSTRTAB};
	make_id(l, c->name, id);
	out_bytes(o, &head, sizeof head);
	out_bytes(o, &(Elf64_Phdr){0}, sizeof(Elf64_Phdr));
	align(&m, JIT_ELF_TEXT);
	add(&m, TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, l->bytes, l->size);
	/* Right behind the code, where its relative addresses count from; empty where unknown. */
	add(&m, EH_FRAME, SHT_PROGBITS, SHF_ALLOC, l->eh_frame, l->eh_frame_size);
	add_note(&m, id);
	size_t mapped = o->n - m.start;
	add_symbol(&m, c->name, l->size);
	align(&m, 8);
	head.e_shoff = o->n - m.start;
	out_bytes(o, m.sections, sizeof m.sections);
	memcpy(o->buf + m.start, &head, sizeof head);
	Elf64_Phdr load = {.p_type = PT_LOAD,
			   .p_flags = PF_R | PF_X,
			   .p_filesz = mapped,
			   .p_memsz = mapped,
			   .p_align = 8};
	memcpy(o->buf + m.start + sizeof head, &load, sizeof load);
}
