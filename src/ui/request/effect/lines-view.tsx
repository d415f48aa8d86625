import { Button } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import { lineBlocks, splitLines, type LineBlock } from '../../../domain/text/line-pieces.ts'
import { VisibleLine } from '../../text/visible-text.tsx'
import './code.css'

const linesAtOnce = 2_000

/** Text with line numbers, as text. Long ones come piece by piece, each with what is still to come. */
export function LinesView(props: {
  text: string
  /** whether a missing line feed at the end means something */
  showFinalNewline: boolean
  tone?: 'added' | 'diff'
  onAllShown?: (all: boolean) => void
}) {
  const { text, onAllShown } = props
  const { lines, finalNewline } = useMemo(() => splitLines(text), [text])
  const [shown, setShown] = useState(linesAtOnce)
  const all = shown >= lines.length
  useEffect(() => onAllShown?.(all), [onAllShown, all])
  const blocks = useMemo(() => lineBlocks(lines.slice(0, shown), 100), [lines, shown])
  const rest = lines.length - shown
  return (
    <div className={`code ${props.tone === 'added' ? 'code-added' : ''}`}>
      {lines.length === 0 && <p className="dim code-note">Empty: no lines.</p>}
      {blocks.map((block) => (
        <Block key={block.from} block={block} diff={props.tone === 'diff'} />
      ))}
      {all && props.showFinalNewline && !finalNewline && lines.length > 0 && (
        <p className="code-note">No newline at the end</p>
      )}
      {!all && (
        <Button variant="light" fullWidth radius={0} onClick={() => setShown(shown + linesAtOnce)}>
          Show {Math.min(linesAtOnce, rest).toLocaleString('en')} more of{' '}
          {rest.toLocaleString('en')} lines that are not shown yet
        </Button>
      )}
    </div>
  )
}

function Block({ block, diff }: { block: LineBlock; diff: boolean }) {
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
    <div key={index} className={`code-line ${diff ? signClass(line) : ''}`}>
      <span className="code-number" aria-hidden>
        {block.from + index}
      </span>
      <code className="code-text">
        <VisibleLine line={line} />
      </code>
    </div>
  ))
}

function signClass(line: string): string {
  if (line.startsWith('+')) return 'code-line-added'
  return line.startsWith('-') ? 'code-line-removed' : ''
}
