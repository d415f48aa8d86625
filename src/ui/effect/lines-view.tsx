import { Button } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import { lineBlocks, splitLines, type LineBlock } from '#domain/text/line-pieces.ts'
import { VisibleLine } from '../text/visible-text.tsx'
import type { PaintedLine } from './highlight/paint-kinds.ts'
import { runsOfPaint } from './highlight/runs-of-paint.ts'
import { usePaint, whyUnpainted } from './highlight/use-paint.ts'
import './code.css'

const linesAtOnce = 2_000

/** The number of lines on the page, including folded ones. */
export interface VisibleLines {
  readonly visible: number
  readonly total: number
}

/** The first blocks with at most `maxLines` drawn lines, and their number of lines. */
function firstBlocks(blocks: readonly LineBlock[], maxLines: number) {
  let rows = 0
  let visible = 0
  let count = 0
  for (const block of blocks) {
    if (rows >= maxLines) break
    rows += block.kind === 'blank' ? 1 : block.lines.length
    visible += block.lines.length
    count += 1
  }
  return { blocks: blocks.slice(0, count), visible }
}

/** A text with line numbers. A long one is drawn in steps, which say what is left. */
export function LinesView(props: {
  text: string
  /** whether to show that the final line feed is missing */
  showFinalNewline: boolean
  tone?: 'added' | 'diff'
  /** the name of the file, for its colours */
  path?: string | null
  onVisible?: (visible: VisibleLines) => void
  /** the number of lines that are shown at first */
  atFirst?: number
}) {
  const { text, onVisible, atFirst = linesAtOnce } = props
  const { lines, finalNewline } = useMemo(() => splitLines(text), [text])
  const [maxLines, setMaxLines] = useState(atFirst)
  // Blank lines are folded first, so that they do not count as drawn lines.
  const folded = useMemo(() => lineBlocks(lines, 100), [lines])
  const { blocks, visible } = useMemo(() => firstBlocks(folded, maxLines), [folded, maxLines])
  const total = lines.length
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
        <Block key={block.from} block={block} signedAfter={signedAfter} colours={colours} />
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
          Show {Math.min(linesAtOnce, rest).toLocaleString('en')} more of{' '}
          {rest.toLocaleString('en')} lines that are not shown yet
        </Button>
      )}
    </div>
  )
}

function Block(props: {
  block: LineBlock
  /** the number of the line after which signs mark changes; `null`: it is no difference */
  signedAfter: number | null
  colours: readonly PaintedLine[] | null
}) {
  const { block, signedAfter, colours } = props
  const [open, setOpen] = useState(false)
  if (block.kind === 'blank' && !open) {
    return (
      <button type="button" className="code-fold" onClick={() => setOpen(true)}>
        {block.lines.length} blank lines (show them)
      </button>
    )
  }
  return block.lines.map((line, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- a line is its number
    <div
      key={index}
      className={`code-line ${signedAfter !== null && block.from + index > signedAfter ? signClass(line) : ''}`}
      data-line={block.from + index}
    >
      <span className="code-number" aria-hidden>
        {block.from + index}
      </span>
      <code className="code-text">
        <VisibleLine line={line} runs={runsOfPaint(colours?.[block.from - 1 + index] ?? [])} />
      </code>
    </div>
  ))
}

function signClass(line: string): string {
  if (line.startsWith('+')) return 'code-line-added'
  return line.startsWith('-') ? 'code-line-removed' : ''
}
