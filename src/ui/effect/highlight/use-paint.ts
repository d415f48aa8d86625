import { useEffect, useState } from 'react'
import { paintTexts } from './paint-texts.ts'
import type { PaintedLine } from './paint-kinds.ts'
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
function languageOf(path: string): Language | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const suffix = name.slice(name.lastIndexOf('.') + 1)
  return byName.get(name) ?? (suffix === name ? null : (bySuffix.get(suffix) ?? null))
}

/** Longer texts are shown without colour. */
const maxCharacters = 1024 * 1024

/** The coloured parts of texts, or why there are none. */
export interface Paint {
  readonly texts: readonly (readonly PaintedLine[])[] | null
  /** `none`: the language is not supported; `large`: over 1 MiB; `slow`: it took too long */
  readonly state: 'none' | 'reading' | 'read' | 'large' | 'slow'
}

const nothing: Paint = { texts: null, state: 'none' }

/** Parses texts of a file in a web worker. `texts` must stay the same object. */
export function usePaint(path: string | null, texts: readonly string[]): Paint {
  const language = path === null ? null : languageOf(path)
  const large = texts.reduce((sum, text) => sum + text.length, 0) > maxCharacters * texts.length
  const [read, setRead] = useState<{ of: readonly string[]; paint: Paint } | null>(null)
  useEffect(() => {
    if (language === null || large) return undefined
    let isOver = false
    void paintTexts(language, texts).then((colouredTexts) => {
      const state = colouredTexts === null ? 'slow' : 'read'
      if (!isOver) setRead({ of: texts, paint: { texts: colouredTexts, state } })
    })
    return () => {
      isOver = true
    }
  }, [language, large, texts])
  if (language === null) return nothing
  if (large) return { texts: null, state: 'large' }
  return read?.of === texts ? read.paint : { texts: null, state: 'reading' }
}

/** Why a text has no colour; `null`: it has, or its language is not supported. Pure. */
export function whyUnpainted({ state }: Paint): string | null {
  if (state === 'large') return 'Without colour: it is larger than 1 MiB.'
  return state === 'slow' ? 'Without colour: reading it took too long.' : null
}
