import { Button } from '@mantine/core'
import { Fragment, useEffect, useMemo, useState } from 'react'
import { lineBlocks, splitLines, type LineBlock } from '#domain/text/line-pieces.ts'
import { VisibleLine } from '../text/visible-text.tsx'
import type { PaintedLine } from './highlight/paint-kinds.ts'
import { runsOfPaint } from './highlight/runs-of-paint.ts'
import { usePaint, whyUnpainted } from './highlight/use-paint.ts'
import type { LineComments } from './line-comments.ts'
import './code.css'

/** The most lines that are drawn at first, and with each step. */
export const linesAtOnce = 2_000

/** The number of lines on the page, including folded ones. */
export interface VisibleLines {
  readonly visible: number
  readonly total: number
}

/**
 * The first blocks with at most `maxLines` drawn lines, and their number of lines. A single line
 * that is left is drawn too: a button in its place is not shorter.
 */
function firstBlocks(blocks: readonly LineBlock[], lineCount: number, maxLines: number) {
  let rows = 0
  let visible = 0
  let count = 0
  for (const block of blocks) {
    if (rows >= maxLines && lineCount - visible > 1) break
    rows += block.kind === 'blank' ? 1 : block.lines.length
    visible += block.lines.length
    count += 1
  }
  return { blocks: blocks.slice(0, count), visible }
}

/** The line of the file at `path` with the form of a new comment; 0: none. */
function formLineOf(lineComments: LineComments | undefined, path: string | null): number {
  const { formAt } = lineComments ?? { formAt: null }
  return formAt?.side === 'new' && formAt.file === path ? formAt.line : 0
}

/** A text with line numbers. A long one is drawn in steps, which say what is left. */
export function LinesView(props: {
  text: string
  /** whether to show that the final line feed is missing */
  showFinalNewline: boolean
  tone?: 'added' | 'diff'
  /** the name of the file, for its colours */
  path?: string | null
  /** comments on the lines of `path`, which is a file as it would be */
  lineComments?: LineComments | undefined
  onVisible?: (visible: VisibleLines) => void
  /** the number of lines that are shown at first */
  atFirst?: number
}) {
  const { text, onVisible, atFirst = linesAtOnce } = props
  const { lines, finalNewline } = useMemo(() => splitLines(text), [text])
  const [maxLines, setMaxLines] = useState(atFirst)
  const formLine = formLineOf(props.lineComments, props.path ?? null)
  // A comment that was begun before a reload is continued at its line, and the lines stay.
  if (formLine > maxLines) setMaxLines(formLine)
  // Blank lines are folded first, so that they do not count as drawn lines.
  const folded = useMemo(() => lineBlocks(lines, 100), [lines])
  const total = lines.length
  const { blocks, visible } = useMemo(
    () => firstBlocks(folded, total, maxLines),
    [folded, total, maxLines],
  )
  const isComplete = visible === total
  useEffect(() => onVisible?.({ visible, total }), [onVisible, visible, total])
  const rest = total - visible
  // The lines that name the two files have signs too, and are no change.
  const signedAfter =
    props.tone === 'diff' ? lines.findIndex((line) => line.startsWith('@@')) + 1 : null
  const texts = useMemo(() => [text], [text])
  const paint = usePaint(props.path ?? null, texts)
  const colours = paint.texts?.[0] ?? null
  const why = whyUnpainted(paint)
  return (
    <div className={`code ${props.tone === 'added' ? 'code-added' : ''}`}>
      {lines.length === 0 && <p className="dim code-note">Empty: no lines.</p>}
      {blocks.map((block) => (
        <Block
          key={block.from}
          block={block}
          signedAfter={signedAfter}
          colours={colours}
          path={props.path ?? null}
          lineComments={props.lineComments}
        />
      ))}
      {why !== null && <p className="dim code-note">{why}</p>}
      {isComplete && props.showFinalNewline && !finalNewline && lines.length > 0 && (
        <p className="code-note">No newline at the end</p>
      )}
      {!isComplete && (
        <Button
          variant="light"
          fullWidth
          radius={0}
          onClick={() => setMaxLines(maxLines + linesAtOnce)}
        >
          {rest > linesAtOnce + 1
            ? `Show ${inWords(linesAtOnce)} of the ${inWords(rest)} lines that are left`
            : `Show the ${inWords(rest)} lines that are left`}
        </Button>
      )}
    </div>
  )
}

function inWords(lines: number): string {
  return lines.toLocaleString('en')
}

function Block(props: {
  block: LineBlock
  /** the number of the line after which signs mark changes; `null`: it is no difference */
  signedAfter: number | null
  colours: readonly PaintedLine[] | null
  path: string | null
  lineComments: LineComments | undefined
}) {
  const { block, signedAfter, colours, path, lineComments } = props
  const [open, setOpen] = useState(false)
  const formLine = formLineOf(lineComments, path)
  const hasForm = formLine >= block.from && formLine < block.from + block.lines.length
  if (block.kind === 'blank' && hasForm && !open) setOpen(true)
  if (block.kind === 'blank' && !open) {
    return (
      <button type="button" className="code-fold" onClick={() => setOpen(true)}>
        {block.lines.length} blank lines (show them)
      </button>
    )
  }
  return block.lines.map((line, index) => {
    const number = block.from + index
    const sign = signedAfter !== null && number > signedAfter ? signClass(line) : ''
    const runs = runsOfPaint(colours?.[number - 1] ?? [])
    return (
      <Fragment key={number}>
        <div className={`code-line ${sign}`} data-line={number}>
          <LineNumber path={path} number={number} lineComments={lineComments} />
          <code className="code-text">
            <VisibleLine line={line} runs={runs} />
          </code>
        </div>
        {path !== null && lineComments?.below({ file: path, side: 'new', line: number })}
      </Fragment>
    )
  })
}

/** The number of a line. A click on it begins a comment, as in a difference. */
function LineNumber(props: {
  path: string | null
  number: number
  lineComments: LineComments | undefined
}) {
  const { path: file, number, lineComments } = props
  const write = lineComments?.onWrite ?? null
  const onClick =
    file === null || write === null
      ? undefined
      : (): void => write({ file, side: 'new', line: number })
  const name = onClick === undefined ? 'code-number' : 'code-number code-number-comments'
  return (
    <span className={name} aria-hidden onClick={onClick}>
      {number}
    </span>
  )
}

function signClass(line: string): string {
  if (line.startsWith('+')) return 'code-line-added'
  return line.startsWith('-') ? 'code-line-removed' : ''
}
