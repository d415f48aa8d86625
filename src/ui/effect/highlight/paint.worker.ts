import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from '@shikijs/core'
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'
import { languages, type Language } from './languages.ts'
import {
  paintKinds,
  type PaintAnswer,
  type PaintedLine,
  type PaintJob,
  type PaintKind,
} from './paint-kinds.ts'

/**
 * Runs in a web worker: parses a text by the grammar of its language. It returns lengths and kinds
 * and no markup; the page draws its own text.
 */

/** Longer lines are generated, and parsing them takes long. */
const maxLineCharacters = 2_000
const maxMsOfLine = 100

const kindOfVariable = new Map<string, PaintKind>([
  ['comment', 'comment'],
  ['string', 'string'],
  ['string-expression', 'string'],
  ['keyword', 'keyword'],
  ['constant', 'constant'],
  ['function', 'function'],
  ['parameter', 'parameter'],
  ['punctuation', 'punctuation'],
  ['link', 'link'],
])

let highlighter: Promise<HighlighterCore> | null = null

function open(): Promise<HighlighterCore> {
  highlighter ??= createHighlighterCore({
    themes: [createCssVariablesTheme({ name: 'kinds', variablePrefix: '--kind-' })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })
  return highlighter
}

function kindOf(color: string | undefined): number {
  const [, variable = ''] = /^var\(--kind-(?:token-)?([a-z-]+)\)$/.exec(color ?? '') ?? []
  return paintKinds.indexOf(kindOfVariable.get(variable) ?? 'plain')
}

async function paint({ language, texts }: PaintJob): Promise<PaintAnswer['texts']> {
  if (!Object.hasOwn(languages, language)) return null
  const highlighter = await open()
  const lang = language as Language
  await highlighter.loadLanguage(languages[lang])
  return texts.map((text) =>
    highlighter
      .codeToTokensBase(text, {
        lang,
        theme: 'kinds',
        tokenizeMaxLineLength: maxLineCharacters,
        tokenizeTimeLimit: maxMsOfLine,
      })
      .map((line): PaintedLine =>
        line.map(({ content, color }) => [content.length, kindOf(color)]),
      ),
  )
}

self.addEventListener('message', ({ data }: MessageEvent<PaintJob>) => {
  void paint(data)
    .catch(() => null)
    .then((texts) => self.postMessage({ id: data.id, texts } satisfies PaintAnswer))
})
