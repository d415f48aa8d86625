import { Button } from '@mantine/core'
import { IconAlertTriangle, IconSquare, IconSquareCheck } from '@tabler/icons-react'
import { lazy, Suspense, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { Loading } from '../states/loading.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { DiffSwitch, useSplitDiffs } from './diff-switch.tsx'
import { EveryByte } from './every-byte.tsx'
import { LinesView, type VisibleLines } from './lines-view.tsx'
import { parseUnifiedDiff, type DiffFile, type DiffHunk } from './unified-diff.ts'
import { linesIn, splitByWhiteSpace, type HunkGroup } from './white-space.ts'

const DiffView = lazy(() =>
  import('./diff-view.tsx').then((module) => ({ default: module.DiffView })),
)
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
}) {
  const { request, onRegion, onAllVisible } = props
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
  const files = useMemo(
    () => (presentation.type === 'diff' ? tableOf(parseUnifiedDiff(presentation.content)) : null),
    [presentation],
  )
  return (
    <section className="card" aria-labelledby={titleId}>
      <h2 id={titleId}>{headingOf(request)}</h2>
      <section ref={onRegion} className="column" aria-label="All that will happen">
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
            onVisible={onLines}
          />
        ) : (
          <Files files={files} ownsKeys={props.ownsKeys} onVisible={onAllVisible} />
        )}
      </section>
      <p className="dim small facts-line">
        {files === null && lines !== null && lines.visible < lines.total
          ? `${lines.visible.toLocaleString('en')} of ${counted(lines.total, 'line')} are on this page: the button above shows the rest.`
          : `${counted(presentation.totalLines, 'line')}, ${counted(presentation.totalBytes, 'byte')} shown${presentation.truncated ? ' in part: the rest is under "every byte"' : ', nothing left out'}.`}
      </p>
      <EveryByte request={request} />
    </section>
  )
}

/**
 * Files that a table can draw, what changes in white space alone folded; `null` when there is too
 * much of the rest.
 */
function tableOf(files: DiffFile[] | null): DiffFile[] | null {
  const drawn = (files ?? [])
    .flatMap((file) => splitByWhiteSpace(file.hunks))
    .filter((group) => !group.whiteSpaceOnly)
    .reduce((sum, { hunks }) => sum + linesIn(hunks), 0)
  return drawn <= maxTableLines ? files : null
}

function headingOf(request: ShownRequest): string {
  if (request.kind === 'question') return 'The question'
  return isAhead(request) ? 'What will happen' : 'What was asked for'
}

/** Whether it has yet to happen, as far as anybody knows. */
function isAhead({ state, execution, kind }: ShownRequest): boolean {
  if (kind === 'start') return state === 'pending'
  return state === 'pending' || (state === 'approved' && execution.state === 'not_started')
}

function counted(many: number, what: string): string {
  return `${many.toLocaleString('en')} ${what}${many === 1 ? '' : 's'}`
}

function toneOf(type: RequestDetail['presentation']['type']): { tone?: 'added' | 'diff' } {
  if (type === 'file_content') return { tone: 'added' }
  return type === 'diff' ? { tone: 'diff' } : {}
}

function Files({
  files,
  ownsKeys,
  onVisible,
}: {
  files: readonly DiffFile[]
  ownsKeys: boolean
  onVisible: (isComplete: boolean) => void
}) {
  const split = useSplitDiffs()
  const [viewed, setViewed] = useState<ReadonlySet<number>>(new Set())
  const [complete, setComplete] = useState<ReadonlySet<number>>(new Set())
  const report = useCallback(
    (index: number, isComplete: boolean) =>
      setComplete((before) => {
        if (before.has(index) === isComplete) return before
        const next = new Set(before)
        if (!next.delete(index)) next.add(index)
        return next
      }),
    [],
  )
  useEffect(() => onVisible(complete.size === files.length), [onVisible, complete, files])
  const container = useRef<HTMLDivElement>(null)
  const current = useRef(0)
  const toggle = (index: number): void =>
    setViewed((before) => {
      const next = new Set(before)
      if (!next.delete(index)) next.add(index)
      return next
    })
  const go = (step: number): void => {
    current.current = Math.min(Math.max(current.current + step, 0), files.length - 1)
    const file = container.current?.querySelectorAll<HTMLElement>('.file')[current.current]
    file?.scrollIntoView({ block: 'start' })
    file?.focus({ preventScroll: true })
  }
  useShortcut('viewed', ownsKeys ? () => toggle(current.current) : null)
  useShortcut('nextFile', ownsKeys ? () => go(1) : null)
  useShortcut('previousFile', ownsKeys ? () => go(-1) : null)
  const viewedKeys = useAriaKeys('viewed')
  return (
    <div ref={container} className="column">
      {ownsKeys && <DiffSwitch />}
      {files.map((file, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- files of one diff keep their order
        <div key={index} className="file" tabIndex={-1}>
          <div className="row spread file-head">
            <code>
              <VisibleText text={nameOf(file)} />
            </code>
            {ownsKeys && (
              <Button
                size="compact-xs"
                variant={viewed.has(index) ? 'light' : 'subtle'}
                color="gray"
                aria-pressed={viewed.has(index)}
                leftSection={
                  viewed.has(index) ? (
                    <IconSquareCheck size={14} aria-hidden />
                  ) : (
                    <IconSquare size={14} aria-hidden />
                  )
                }
                onClick={() => toggle(index)}
                {...viewedKeys}
              >
                Viewed
              </Button>
            )}
          </div>
          <FileHunks file={file} index={index} split={split} onVisible={report} />
        </div>
      ))}
    </div>
  )
}

/**
 * The hunks of a file; runs of them that change white space alone are folded, and count as unseen
 * until they are open.
 */
function FileHunks(props: {
  file: DiffFile
  index: number
  split: boolean
  onVisible: (index: number, isComplete: boolean) => void
}) {
  const { file, index: ofFile, split, onVisible } = props
  const groups = useMemo(() => splitByWhiteSpace(file.hunks), [file])
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const [drawn, setDrawn] = useState(false)
  const isOpen = groups.every((group, index) => !group.whiteSpaceOnly || open.has(index))
  useEffect(() => onVisible(ofFile, isOpen && drawn), [onVisible, ofFile, isOpen, drawn])
  const show = (index: number) => () => setOpen((before) => new Set([...before, index]))
  return (
    <Suspense fallback={<Loading what="the difference" lines={5} />}>
      {groups.map((group, index) =>
        group.whiteSpaceOnly && !open.has(index) ? (
          // oxlint-disable-next-line react/no-array-index-key -- groups of a file keep their order
          <button key={index} type="button" className="code-fold" onClick={show(index)}>
            {counted(changedLines(group), 'line')} that change in white space alone (show them)
          </button>
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- groups of a file keep their order
          <DiffView key={index} file={{ ...file, hunks: group.hunks }} split={split} />
        ),
      )}
      <Drawn onDrawn={setDrawn} />
    </Suspense>
  )
}

function changedLines({ hunks }: HunkGroup): number {
  const added = hunks
    .flatMap((hunk: DiffHunk) => hunk.changes)
    .filter((change) => change.type === 'insert')
  return added.length
}

/** Mounts together with what it stands beside: that is on the page now. */
function Drawn({ onDrawn }: { onDrawn: (drawn: boolean) => void }) {
  return <span hidden ref={(element) => onDrawn(element !== null)} />
}

function nameOf(file: DiffFile): string {
  if (file.oldPath === null) return file.newPath ?? 'the file'
  if (file.newPath === null || file.newPath === file.oldPath) return file.oldPath
  return `${file.oldPath} → ${file.newPath}`
}
