import { IconAlertTriangle } from '@tabler/icons-react'
import { lazy, Suspense, useCallback, useId, useMemo, useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { Loading } from '../states/loading.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { useDiffSetting } from './settings/diff-settings.ts'
import type { LineNotes } from './diff-view.tsx'
import { EveryByte } from './every-byte.tsx'
import { LinesView, type VisibleLines } from './lines-view.tsx'
import { parseUnifiedDiff, type DiffFile } from './unified-diff.ts'
import { SeenMap } from './seeing/seen-map.tsx'
import type { SeenTracker } from './seeing/use-seen.ts'
import { useWholeFile } from './use-whole-file.ts'
import { isWhiteSpaceOnly, linesIn } from './white-space.ts'
import './effect.css'

const Files = lazy(() => import('./files.tsx').then((module) => ({ default: module.Files })))
/** Beyond this many lines a table of both sides is slow to draw: the diff is shown line by line. */
const maxTableLines = 3_000

/** What is shown of a request: of a page of its own, or of one of several on a page. */
export type ShownRequest = Pick<
  RequestDetail,
  'id' | 'number' | 'revision' | 'kind' | 'state' | 'execution' | 'presentation'
>

/**
 * What will happen, from the stored bytes: warnings first, then all of it, then a way to every
 * byte.
 */
export function Effect(props: {
  request: ShownRequest
  /** its files have the page's keys, as on a page of its own */
  ownsKeys: boolean
  /** the element whose every part must have been on the screen */
  onRegion: (element: HTMLElement | null) => void
  onAllVisible: (isComplete: boolean) => void
  /** comments on lines, on the page of the request */
  notes?: LineNotes | undefined
  /** what of it has been on the screen, for the map of it */
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
  const folding = useDiffSetting('ignoreWhiteSpace')
  const files = useMemo(
    () =>
      presentation.type === 'diff'
        ? tableOf(parseUnifiedDiff(presentation.content), folding)
        : null,
    [presentation, folding],
  )
  const whole = useWholeFile(request)
  // One of several on a page is no landmark of it.
  const role = props.ownsKeys ? 'region' : 'group'
  return (
    <section className="card" role={role} aria-labelledby={titleId}>
      <h2 id={titleId}>{headingOf(request)}</h2>
      {tracker !== undefined && request.state === 'pending' && (
        <SeenMap region={region} tracker={tracker} />
      )}
      <section ref={keepRegion} className="column" role={role} aria-label="All that will happen">
        {presentation.warnings.length > 0 && (
          <div className="warnings" role="note">
            <IconAlertTriangle size={20} stroke={1.8} aria-hidden />
            <div className="grow">
              <strong>Look closely</strong>
              <ul>
                {presentation.warnings.map((warning) => (
                  <li key={warning}>
                    <VisibleText text={warning} />
                  </li>
                ))}
              </ul>
            </div>
          </div>
        )}
        {files === null ? (
          <LinesView
            text={presentation.content}
            showFinalNewline={presentation.type === 'file_content' || presentation.type === 'text'}
            {...toneOf(presentation.type)}
            path={presentation.type === 'file_content' ? pathOf(presentation.metadata) : null}
            onVisible={onLines}
          />
        ) : (
          <Suspense fallback={<Loading what="the difference" lines={5} />}>
            <Files
              files={files}
              ownsKeys={props.ownsKeys}
              onVisible={onAllVisible}
              whole={files.length === 1 ? whole : null}
              notes={props.notes}
            />
          </Suspense>
        )}
      </section>
      <p className="dim small facts-line">
        {files === null && lines !== null && lines.visible < lines.total
          ? `${lines.visible.toLocaleString('en')} of ${countText(lines.total, 'line')} are on this page: the button above shows the rest.`
          : `${countText(presentation.totalLines, 'line')}, ${countText(presentation.totalBytes, 'byte')} shown${presentation.truncated ? ' in part: the rest is under "every byte"' : ', nothing left out'}.`}
      </p>
      <EveryByte request={request} />
    </section>
  )
}

/**
 * Files that a table can draw, what changes in white space alone left out where it is folded;
 * `null` when there is too much of the rest.
 */
function tableOf(files: DiffFile[] | null, folding: boolean): DiffFile[] | null {
  const hunks = (files ?? []).flatMap((file) => file.hunks)
  const drawn = folding ? hunks.filter((hunk) => !isWhiteSpaceOnly(hunk)) : hunks
  return linesIn(drawn) <= maxTableLines ? files : null
}

function pathOf({ path }: RequestDetail['presentation']['metadata']): string | null {
  return typeof path === 'string' ? path : null
}

function headingOf(request: ShownRequest): string {
  if (request.kind === 'question') return 'The question'
  return isAhead(request) ? 'What will happen' : 'What was requested'
}

/** Whether it has yet to happen, as far as anybody knows. */
function isAhead({ state, execution, kind }: ShownRequest): boolean {
  if (kind === 'start') return state === 'pending'
  return state === 'pending' || (state === 'approved' && execution.state === 'not_started')
}

function countText(many: number, what: string): string {
  return `${many.toLocaleString('en')} ${what}${many === 1 ? '' : 's'}`
}

function toneOf(type: RequestDetail['presentation']['type']): { tone?: 'added' | 'diff' } {
  if (type === 'file_content') return { tone: 'added' }
  return type === 'diff' ? { tone: 'diff' } : {}
}
