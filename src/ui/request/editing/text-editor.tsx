import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { EditorState } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { visibleText } from '#domain/text/visible-text.ts'

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
})

/** Beside those that the editor marks by itself: every other character that no eye can see. */
const invisible = /\p{Default_Ignorable_Code_Point}|\p{Cf}/u

/**
 * A text of many lines to be changed. Characters that cannot be seen are drawn as marks. It stands
 * in a shadow root, where its style sheet is one that the page's content policy permits. Tab leaves
 * it after Escape.
 */
export function TextEditor(props: {
  label: string
  initial: string
  onChange: (text: string) => void
}) {
  const host = useRef<HTMLDivElement>(null)
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
          theme,
        ],
      }),
    })
    view.focus()
    return () => view.destroy()
  }, [])
  return <div ref={host} className="text-editor" />
}

/** The mark of a character, with the label that it has everywhere on the page. */
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
