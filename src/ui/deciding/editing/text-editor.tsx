import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { useEffect, useMemo, useRef } from 'react'
import { visibleText } from '#domain/text/visible-text.ts'
import { paintKinds, type PaintedLine } from '../../effect/highlight/paint-kinds.ts'
import { runsOfPaint } from '../../effect/highlight/runs-of-paint.ts'
import { usePaint } from '../../effect/highlight/use-paint.ts'

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', maxHeight: '60vh' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '0.8125rem', lineHeight: '1.55' },
  '.cm-gutters': { color: 'var(--dim)', backgroundColor: 'var(--sunken)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    background: 'var(--accent-soft) !important',
  },
  '.cm-specialChar': {
    padding: '0 0.25rem',
    borderRadius: '0.25rem',
    color: 'var(--chip)',
    backgroundColor: 'var(--chip-soft)',
    fontSize: '0.6875rem',
  },
  ...Object.fromEntries(
    paintKinds.map((kind) => [
      `.paint-${kind}`,
      { color: `var(--paint-${kind === 'link' ? 'string' : kind})` },
    ]),
  ),
})

const repaint = StateEffect.define<readonly PaintedLine[]>()

/** The colours of the text, which move with edits until the text has been parsed again. */
const colours: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { changes, effects, state }) {
    const repainting = effects.find((effect) => effect.is(repaint))
    return repainting === undefined ? marks.map(changes) : marksOf(state, repainting.value)
  },
  provide: (field) => EditorView.decorations.from(field),
})

function marksOf({ doc }: EditorState, lines: readonly PaintedLine[]): DecorationSet {
  const marks = lines.slice(0, doc.lines).flatMap((line, index) => {
    const { from, to } = doc.line(index + 1)
    return runsOfPaint(line)
      .filter(({ end }) => from + end <= to)
      .map(({ start, end, className }) =>
        Decoration.mark({ class: className }).range(from + start, from + end),
      )
  })
  return Decoration.set(marks)
}

/** Invisible characters, in addition to those that the editor marks itself. */
const invisible = /\p{Default_Ignorable_Code_Point}|\p{Cf}/u

/**
 * An editor for a text of many lines. Invisible characters are drawn as marks. It is in a shadow
 * root, whose style sheet the content security policy permits. After Escape, Tab leaves it.
 */
export function TextEditor(props: {
  label: string
  /** the name of the file, for its colours */
  path: string | null
  initial: string
  /** the current text, to be coloured */
  text: string
  onChange: (text: string) => void
}) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView | null>(null)
  const first = useRef(props)
  const change = useRef(props.onChange)
  useEffect(() => {
    change.current = props.onChange
  }, [props.onChange])
  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const { label, initial } = first.current
    const view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: initial,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightSpecialChars({ addSpecialChars: invisible, render: markOf }),
          EditorView.lineWrapping,
          EditorState.lineSeparator.of('\n'),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) change.current(state.doc.toString())
          }),
          colours,
          theme,
        ],
      }),
    })
    view.focus()
    editor.current = view
    return () => view.destroy()
  }, [])
  const { path, text } = props
  const texts = useMemo(() => [text], [text])
  const lineColours = usePaint(path, texts).texts?.[0] ?? null
  useEffect(() => {
    const view = editor.current
    // Text that was typed meanwhile is coloured after the next parse.
    if (view === null || lineColours === null || view.state.doc.toString() !== text) return
    view.dispatch({ effects: repaint.of(lineColours) })
  }, [lineColours, text])
  return <div ref={host} className="text-editor" />
}

/** The mark of an invisible character, with the label that all pages use. */
function markOf(code: number): HTMLElement {
  const character = String.fromCodePoint(code)
  const chip = visibleText(character).find((segment) => segment.kind === 'chip')
  const point = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  const mark = document.createElement('span')
  mark.className = 'cm-specialChar'
  mark.textContent = point
  mark.title = chip?.label ?? point
  return mark
}
