import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { VisibleText } from '../../text/visible-text.tsx'
import { showLine } from './show-line.ts'

/** What deserves attention, the warnings first, each linked to the line that causes it. */
export function Cues(props: {
  cues: RequestItem['cues']
  content: string
  /** where `content` is shown */
  within: HTMLElement | null
  /** one of several on a page is no landmark of it */
  role: 'region' | 'group'
}) {
  const { cues, content, within } = props

  if (cues.length === 0) return null
  const ordered = [...cues].toSorted((one, other) => rank(one) - rank(other))
  return (
    <section role={props.role} aria-label="What deserves attention">
      <ul className="cues plain-list">
        {ordered.map((cue) => (
          <li key={`${cue.id} ${cue.line ?? 0} ${cue.text}`} className={`cue cue-${cue.level}`}>
            {cue.level === 'warning' ? (
              <IconAlertTriangle size={16} aria-hidden />
            ) : (
              <IconInfoCircle size={16} aria-hidden />
            )}
            <span className="grow break">
              <span className="visually-hidden">
                {cue.level === 'warning' ? 'Warning: ' : 'Notice: '}
              </span>
              <VisibleText text={cue.text} />
            </span>
            <Line line={cue.line} content={content} within={within} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Line(props: { line: number | undefined; content: string; within: HTMLElement | null }) {
  const { line, content, within } = props
  if (line === undefined || within === null) return null
  return (
    <a
      className="cue-line"
      href={`#line-${line}`}
      onClick={(event) => {
        event.preventDefault()
        showLine(within, line, content)
      }}
    >
      line {line}
    </a>
  )
}

/** Short words for a row: how many, and the highest one's. */
export function CuesLine({ cues }: { cues: RequestItem['cues'] }) {
  const [first] = [...cues].toSorted((one, other) => rank(one) - rank(other))
  if (first === undefined) return null
  const more = cues.length - 1
  return (
    <span className={`cue-short cue-${first.level}`}>
      {first.level === 'warning' && <IconAlertTriangle size={13} aria-hidden />}{' '}
      <VisibleText text={first.text.split(':', 1)[0] ?? ''} />
      {more > 0 && ` and ${more} more`}
    </span>
  )
}

function rank({ level }: RequestItem['cues'][number]): number {
  return level === 'warning' ? 0 : 1
}
