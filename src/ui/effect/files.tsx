import { Button } from '@mantine/core'
import { IconSquare, IconSquareCheck } from '@tabler/icons-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useMe } from '../api/queries.ts'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { phoneUntil, useMedia } from '../states/use-media.ts'
import { useFocusReturn } from '../states/use-focus-return.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { DiffView, type DiffExtras } from './diff-view.tsx'
import { DiffToolbar } from './diff-toolbar.tsx'
import { useSplitDiffs } from './settings/diff-settings.ts'
import { measureHead } from './seeing/sticky-heads.ts'
import { placeOfFile, markViewed, viewedPlaces } from './seeing/viewed-marks.ts'
import type { DiffFile } from '#domain/tools/unified-diff.ts'
import type { WholeFile } from './use-whole-file.ts'

/** The files of a difference with their hunks. `ownsKeys`: they use the keys of the page. */
export function Files({
  files,
  digest,
  ownsKeys,
  onVisible,
  whole,
  lineComments,
}: {
  files: readonly DiffFile[]
  /** of the presentation, for the marks of what was viewed */
  digest: string
  ownsKeys: boolean
  onVisible: (isComplete: boolean) => void
  /** the file, if there is exactly one and its bytes are stored; null otherwise */
  whole: WholeFile | null
  lineComments?: DiffExtras['lineComments']
}) {
  const split = useSplitDiffs()
  // On a phone the head of the only file has the tools, which take no line of their own.
  const isInHead = useMedia(phoneUntil) && ownsKeys && files.length === 1
  const { isViewed, toggle } = useViewedFiles(digest, files.length)
  const report = useAllComplete(files, onVisible)
  const container = useRef<HTMLDivElement>(null)
  const current = useRef(0)
  const go = (step: number): void => {
    current.current = Math.min(Math.max(current.current + step, 0), files.length - 1)
    const file = container.current?.querySelectorAll<HTMLElement>('.file')[current.current]
    file?.scrollIntoView({ block: 'start' })
    file?.focus({ preventScroll: true })
  }
  useShortcut('viewed', ownsKeys ? () => toggle(current.current) : null)
  useShortcut('nextFile', ownsKeys ? () => go(1) : null)
  useShortcut('previousFile', ownsKeys ? () => go(-1) : null)
  return (
    <div ref={container} className="column">
      {ownsKeys && !isInHead && (
        <DiffToolbar settings={<WholeToggle whole={whole} />}>
          {files.length > 1 && (
            <span className="dim small">
              {files.filter((_, index) => isViewed(index)).length} of {files.length} files viewed
            </span>
          )}
        </DiffToolbar>
      )}
      {files.map((file, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- files of one diff keep their order
        <div
          key={index}
          className="file"
          data-file={file.newPath ?? file.oldPath ?? undefined}
          tabIndex={-1}
        >
          <div ref={measureHead} className="row spread file-head">
            <code>
              <VisibleText text={nameOf(file)} />
            </code>
            {isInHead ? (
              <DiffToolbar settings={<WholeToggle whole={whole} />}>
                <ViewedToggle on={isViewed(index)} onToggle={() => toggle(index)} />
              </DiffToolbar>
            ) : (
              ownsKeys && <ViewedToggle on={isViewed(index)} onToggle={() => toggle(index)} />
            )}
          </div>
          <FileDifference
            file={file}
            index={index}
            split={split}
            whole={whole}
            lineComments={lineComments}
            onVisible={report}
          />
        </div>
      ))}
    </div>
  )
}

/** The person's marks of the files that they have viewed. */
function useViewedFiles(digest: string, fileCount: number) {
  const { id: personId } = useMe().person
  const [marks, setMarks] = useState(() => viewedPlaces({ personId, digest }))
  const isViewed = (index: number): boolean => marks.has(placeOfFile(index, fileCount))
  const toggle = (index: number): void =>
    setMarks(markViewed({ personId, digest }, placeOfFile(index, fileCount), !isViewed(index)))
  return { isViewed, toggle }
}

/** Tells whether all files have been on the screen. Returns the report of one file. */
function useAllComplete(files: readonly DiffFile[], onVisible: (isComplete: boolean) => void) {
  const [complete, setComplete] = useState<ReadonlySet<number>>(new Set())
  useEffect(() => onVisible(complete.size === files.length), [onVisible, complete, files])
  return useCallback(
    (index: number, isComplete: boolean) =>
      setComplete((before) => {
        if (before.has(index) === isComplete) return before
        const next = new Set(before)
        if (!next.delete(index)) next.add(index)
        return next
      }),
    [],
  )
}

function ViewedToggle({ on, onToggle }: { on: boolean; onToggle: () => void }) {
  const keys = useAriaKeys('viewed')
  const Icon = on ? IconSquareCheck : IconSquare
  return (
    <Button
      size="compact-xs"
      variant={on ? 'light' : 'subtle'}
      color="gray"
      aria-pressed={on}
      leftSection={<Icon size={14} aria-hidden />}
      onClick={onToggle}
      {...keys}
    >
      Viewed
    </Button>
  )
}

function FileDifference(
  props: {
    file: DiffFile
    index: number
    split: boolean
    onVisible: (index: number, isComplete: boolean) => void
  } & Pick<DiffExtras, 'whole' | 'lineComments'>,
) {
  const { index, onVisible, ...rest } = props
  const onComplete = useCallback(
    (isComplete: boolean) => onVisible(index, isComplete),
    [onVisible, index],
  )
  return <DiffView {...rest} onComplete={onComplete} />
}

function WholeToggle({ whole }: { whole: WholeFile | null }) {
  const words = useFocusReturn<HTMLSpanElement>(whole?.isTooLong !== true)
  if (whole === null || whole.problem !== null) return null
  if (whole.isTooLong) {
    return (
      <span ref={words} role="status" tabIndex={-1} className="dim small">
        Too long to show whole: open its gaps one by one.
      </span>
    )
  }
  return (
    <Button
      size="compact-sm"
      variant={whole.isWhole ? 'light' : 'subtle'}
      color="gray"
      aria-pressed={whole.isWhole}
      loading={whole.isLoading && whole.isWhole}
      onClick={() => whole.setWhole(!whole.isWhole)}
    >
      Whole file
    </Button>
  )
}

function nameOf(file: DiffFile): string {
  if (file.oldPath === null) return file.newPath ?? 'the file'
  if (file.newPath === null || file.newPath === file.oldPath) return file.oldPath
  return `${file.oldPath} → ${file.newPath}`
}
