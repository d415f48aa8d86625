import { IconAlertTriangle } from '@tabler/icons-react'
import { useCallback, useId, useMemo, useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { later } from '../states/later.tsx'
import { Loading } from '../states/loading.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { useDiffSetting } from './settings/diff-settings.ts'
import type { LineComments } from './line-comments.ts'
import { EveryByte } from './every-byte.tsx'
import { LinesView, type VisibleLines } from './lines-view.tsx'
import { parseUnifiedDiff, type DiffFile } from '#domain/tools/unified-diff.ts'
import { structuredFields, type StructuredField } from '#domain/fields/structured-fields.ts'
import { FieldsView } from './fields-view.tsx'
import { SeenMap } from './seeing/seen-map.tsx'
import type { SeenTracker } from './seeing/use-seen.ts'
import { useWholeFile } from './use-whole-file.ts'
import { isWhiteSpaceOnly, linesIn } from './white-space.ts'
import './effect.css'

const Files = later(
  () => import('./files.tsx').then((module) => module.Files),
  () => <Loading what="the difference" lines={5} />,
)
/** A table with more lines is slow, so the difference is shown line by line. */
const maxTableLines = 3_000

/** The members of a request that this component needs. */
export type PresentedRequest = Pick<
  RequestDetail,
  'id' | 'number' | 'revision' | 'kind' | 'state' | 'execution' | 'presentation'
>

/** What will happen, from the stored bytes: warnings, presentation, a link to all bytes. */
export function Effect(props: {
  request: PresentedRequest
  /** its files use the keys of the page, as on the page of a request */
  ownsKeys: boolean
  /** called with the element; every part of it must be on the screen */
  onRegion: (element: HTMLElement | null) => void
  onAllVisible: (isComplete: boolean) => void
  /** comments on lines, on the page of a request */
  lineComments?: LineComments | undefined
  /** the parts that have been on the screen, for their map */
  tracker?: SeenTracker
}) {
  const { request, onRegion, onAllVisible, tracker } = props
  const [region, setRegion] = useState<HTMLElement | null>(null)
  const keepRegion = useCallback(
    (element: HTMLElement | null) => {
      setRegion(element)
      onRegion(element)
    },
    [onRegion],
  )
  const { presentation } = request
  const titleId = useId()
  const [lines, setLines] = useState<VisibleLines | null>(null)
  const onLines = useCallback(
    (visible: VisibleLines) => {
      setLines(visible)
      onAllVisible(visible.visible === visible.total)
    },
    [onAllVisible],
  )
  const files = useFilesOf(presentation)
  const fields = useMemo(() => structuredFields(presentation), [presentation])
  const whole = useWholeFile(request)
  // One of several effects on a page must not be a landmark.
  const role = props.ownsKeys ? 'region' : 'group'
  return (
    <section className="card" role={role} aria-labelledby={titleId}>
      <h2 id={titleId} className={tracker === undefined ? undefined : 'seen-heading'}>
        {headingOf(request)}
      </h2>
      {tracker !== undefined && request.state === 'pending' && (
        <SeenMap region={region} tracker={tracker} />
      )}
      <section ref={keepRegion} className="column" role={role} aria-label="All that will happen">
        <Warnings warnings={presentation.warnings} />
        {fields !== null ? (
          <FieldsView fields={fields} onAllVisible={onAllVisible} />
        ) : files === null ? (
          <LinesView
            text={presentation.content}
            showFinalNewline={presentation.type === 'file_content' || presentation.type === 'text'}
            {...toneOf(presentation.type)}
            path={presentation.type === 'file_content' ? pathOf(presentation.metadata) : null}
            lineComments={props.lineComments}
            onVisible={onLines}
          />
        ) : (
          <Files
            key={presentation.digest}
            files={files}
            digest={presentation.digest}
            ownsKeys={props.ownsKeys}
            onVisible={onAllVisible}
            whole={files.length === 1 ? whole : null}
            lineComments={props.lineComments}
          />
        )}
      </section>
      <EveryByte request={request}>
        {(files === null && fields === null && cutText(lines)) || amountText(presentation, fields)}
      </EveryByte>
    </section>
  )
}

/** The files of a difference; `null` for any other presentation. */
function useFilesOf(presentation: PresentedRequest['presentation']) {
  const folding = useDiffSetting('ignoreWhiteSpace')
  return useMemo(
    () =>
      presentation.type === 'diff'
        ? tableOf(parseUnifiedDiff(presentation.content), folding)
        : null,
    [presentation, folding],
  )
}

/** Says how many lines are not on the page; `null`: all are, or nothing is drawn yet. */
function cutText(lines: VisibleLines | null): string | null {
  if (lines === null || lines.visible === lines.total) return null
  return `${lines.visible.toLocaleString('en')} of ${countWords(lines.total, 'line')} are on this page: the button above shows the rest.`
}

function Warnings({ warnings }: Pick<PresentedRequest['presentation'], 'warnings'>) {
  if (warnings.length === 0) return null
  return (
    <div className="warnings" role="note">
      <IconAlertTriangle size={20} stroke={1.8} aria-hidden />
      <div className="grow">
        <strong>Look closely</strong>
        <ul>
          {warnings.map((warning) => (
            <li key={warning}>
              <VisibleText text={warning} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

/** How much of the presentation is on the page. */
function amountText(
  presentation: PresentedRequest['presentation'],
  fields: readonly StructuredField[] | null,
): string {
  const { totalLines, totalBytes, truncated } = presentation
  const parts =
    fields === null ? countWords(totalLines, 'line') : countWords(fields.length, 'field')
  const rest = truncated ? ' in part: the rest is under "every byte"' : ', nothing left out'
  return `${parts}, ${countWords(totalBytes, 'byte')} shown${rest}.`
}

/**
 * The files that a table can draw, without hunks of white space if these are folded; `null` if
 * there are too many lines.
 */
function tableOf(files: DiffFile[] | null, folding: boolean): DiffFile[] | null {
  const hunks = (files ?? []).flatMap((file) => file.hunks)
  const visibleHunks = folding ? hunks.filter((hunk) => !isWhiteSpaceOnly(hunk)) : hunks
  return linesIn(visibleHunks) <= maxTableLines ? files : null
}

function pathOf({ path }: RequestDetail['presentation']['metadata']): string | null {
  return typeof path === 'string' ? path : null
}

function headingOf(request: PresentedRequest): string {
  if (request.kind === 'question') return 'The question'
  if (request.kind === 'outcome_check') return 'What is known'
  return isAhead(request) ? 'What will happen' : 'What was requested'
}

/** Whether it has not happened yet, as far as the service knows. */
function isAhead({ state, execution, kind }: PresentedRequest): boolean {
  if (kind === 'start') return state === 'pending'
  return state === 'pending' || (state === 'approved' && execution.state === 'not_started')
}

function toneOf(type: RequestDetail['presentation']['type']): { tone?: 'added' | 'diff' } {
  if (type === 'file_content') return { tone: 'added' }
  return type === 'diff' ? { tone: 'diff' } : {}
}
