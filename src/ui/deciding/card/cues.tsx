import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import { useMemo } from 'react'
import { cueLabels, displayedCues } from '#domain/policy/cues.ts'
import { structuredFields } from '#domain/fields/structured-fields.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { visibleString } from '../../text/visible-string.ts'
import { VisibleText } from '../../text/visible-text.tsx'
import { showFile, showLine, shownLine } from './show-line.ts'

/** The cues, warnings first. Each links to the line that causes it. */
export function Cues(props: {
  cues: RequestItem['cues']
  presentation: Pick<RequestDetail['presentation'], 'type' | 'content' | 'metadata'>
  /** the element that shows it */
  within: HTMLElement | null
  /** `group` if there are several on the page, because only one can be a landmark */
  role: 'region' | 'group'
}) {
  const { cues, presentation, within } = props
  const hasFields = useMemo(
    () => cues.length > 0 && structuredFields(presentation) !== null,
    [cues, presentation],
  )
  if (cues.length === 0) return null
  const ordered = rankedCues(cues)
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
            <Place cue={cue} place={{ content: presentation.content, hasFields, within }} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The place of a cue: a line of the presentation, else a file. */
function Place(props: {
  cue: RequestItem['cues'][number]
  place: { content: string; hasFields: boolean; within: HTMLElement | null }
}) {
  const { content, hasFields, within } = props.place
  const { line, file } = props.cue
  if (within === null) return null
  if (line === undefined) {
    if (file === undefined) return null
    return (
      <a
        className="cue-line"
        href="#file"
        onClick={(event) => {
          event.preventDefault()
          showFile(within, file)
        }}
      >
        show the file
      </a>
    )
  }
  const number = hasFields ? null : shownLine(content, line)
  return (
    <a
      className="cue-line"
      href={`#line-${line}`}
      onClick={(event) => {
        event.preventDefault()
        showLine(within, line, content)
      }}
    >
      {hasFields ? 'show the field' : number === null ? 'show the line' : `line ${number}`}
    </a>
  )
}

/**
 * The cues in a row: the label of the most important one, and how many more there are. The title
 * and the accessible name have the whole text of each.
 */
export function CuesLine({ cues }: { cues: RequestItem['cues'] }) {
  const [first, ...others] = rankedCues(cues)
  if (first === undefined) return null
  const texts = cueTexts(cues)
  return (
    <span className={`cue-short cue-${first.level}`} title={texts.join('\n')}>
      <span className="visually-hidden">{texts.join('. ')}</span>
      <span aria-hidden>
        {first.level === 'warning' && <IconAlertTriangle size={13} />} {cueLabels[first.id]}
        {others.length > 0 && ` +${others.length}`}
      </span>
    </span>
  )
}

/** The texts of the cues that people are shown, most important first, to show as they stand. */
export function cueTexts(cues: RequestItem['cues']): string[] {
  return rankedCues(cues).map(({ text }) => visibleString(text))
}

function rankedCues(cues: RequestItem['cues']): RequestItem['cues'] {
  return displayedCues(cues).toSorted((one, other) => rank(one) - rank(other))
}

/** Warnings first, then notices about what a call changes, then those about the network. */
function rank({ level, id }: RequestItem['cues'][number]): number {
  if (level === 'warning') return 0
  if (id === 'first_use') return 3
  return id.includes('network') ? 2 : 1
}
