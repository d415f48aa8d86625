import { useEffect, useState } from 'react'
import { languageOf } from './language-of.ts'
import { paintTexts } from './paint-texts.ts'
import type { PaintedLine } from './paint-kinds.ts'

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
