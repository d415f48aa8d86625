import { useEffect, useLayoutEffect, useRef } from 'react'
import type { TranscriptCall } from '#api/schemas/runs/transcript.ts'
import { endOfOutput } from '#domain/text/output-place.ts'
import { splitLines } from '#domain/text/line-pieces.ts'
import { streamNames, type OutputStream } from '#domain/tools/tool-result.ts'
import { VisibleLine } from '../../text/visible-text.tsx'
import { useRunInProgress } from './run-in-progress.tsx'
import type { OutputSoFar } from './so-far.ts'

/** The largest output that is drawn, because each hostile character may become a chip. */
const maxDrawn = { bytes: 16 * 1024, lines: 200 }
/** A smaller distance from the end counts as the end, in pixels. */
const atEndPx = 24

/** The output of a running command so far. The result of the command replaces it. */
export function LiveOutput(props: { callId: string; live: NonNullable<TranscriptCall['live']> }) {
  const { callId, live } = props
  const { commandOutput } = useRunInProgress()
  const streams = (['stdout', 'stderr'] as const).flatMap((stream) => {
    const soFar = commandOutput.get(`${callId}.${stream}`)
    return soFar === undefined ? [] : [{ stream, soFar }]
  })
  const isLost = live.state !== 'running' || streams.some(({ soFar }) => soFar.lost)
  return (
    <div className="so-far">
      <p className="small" role="status">
        {!isLost
          ? 'It is running. This is its output so far.'
          : 'Nobody knows how it ended. This is its output until then, not its result.'}
      </p>
      {streams.map(({ stream, soFar }) => (
        <LiveStream key={stream} stream={stream} soFar={soFar} />
      ))}
    </div>
  )
}

function LiveStream({ soFar, stream }: { soFar: OutputSoFar; stream: OutputStream }) {
  const { end, start } = soFar
  const { left, text } = endOfOutput(new TextEncoder().encode(soFar.text), maxDrawn)
  const before = start + left
  const pane = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  useLayoutEffect(() => {
    if (follows.current) toEnd(pane.current)
  }, [text])
  useEffect(() => {
    // A page is drawn once all its parts are loaded: before that, nothing can be scrolled.
    const observer = new ResizeObserver(() => follows.current && toEnd(pane.current))
    if (pane.current !== null) observer.observe(pane.current)
    return () => observer.disconnect()
  }, [])
  return (
    <div>
      <p className="small dim">
        {streamNames[stream]}, {end.toLocaleString('en')} bytes so far
        {before > 0 && `; the first ${before.toLocaleString('en')} are not shown here`}
      </p>
      <div
        ref={pane}
        className="code so-far-pane"
        // Screen readers would announce a live log as it grows, so it is only readable on request.
        role="log"
        aria-live="off"
        aria-label={`${streamNames[stream]} so far`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys must scroll it too
        tabIndex={0}
        onScroll={({ currentTarget: at }) => {
          follows.current = at.scrollHeight - at.scrollTop - at.clientHeight < atEndPx
        }}
      >
        {splitLines(text).lines.map((line, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a line is its place
          <div key={index} className="so-far-line">
            <code className="code-text">
              <VisibleLine line={line} />
            </code>
          </div>
        ))}
      </div>
    </div>
  )
}

function toEnd(pane: HTMLElement | null): void {
  if (pane !== null) pane.scrollTop = pane.scrollHeight
}
