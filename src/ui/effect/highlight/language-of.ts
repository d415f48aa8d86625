import type { Language } from './languages.ts'

const bySuffix = new Map<string, Language>(
  Object.entries({
    c: 'c h',
    csharp: 'cs',
    css: 'css',
    go: 'go',
    hcl: 'hcl tf tfvars',
    html: 'html htm',
    ini: 'ini cfg conf properties env',
    java: 'java',
    javascript: 'js mjs cjs jsx',
    json: 'json jsonc webmanifest',
    kotlin: 'kt kts',
    make: 'mk',
    markdown: 'md markdown',
    proto: 'proto',
    python: 'py pyi',
    rust: 'rs',
    shellscript: 'sh bash zsh',
    sql: 'sql',
    swift: 'swift',
    toml: 'toml',
    tsx: 'tsx',
    typescript: 'ts mts cts',
    xml: 'xml svg xsd plist',
    yaml: 'yaml yml',
  } satisfies Partial<Record<Language, string>>).flatMap(([language, suffixes]) =>
    suffixes.split(' ').map((suffix) => [suffix, language as Language] as const),
  ),
)

const byName = new Map<string, Language>([
  ['dockerfile', 'dockerfile'],
  ['containerfile', 'dockerfile'],
  ['makefile', 'make'],
  ['.env', 'ini'],
  ['.bashrc', 'shellscript'],
  ['.profile', 'shellscript'],
])

/** The language of a file by its name; `null`: it is not coloured. Pure. */
export function languageOf(path: string): Language | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const suffix = name.slice(name.lastIndexOf('.') + 1)
  return byName.get(name) ?? (suffix === name ? null : (bySuffix.get(suffix) ?? null))
}
