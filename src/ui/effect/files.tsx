import { Button } from '@mantine/core'
import { IconSquare, IconSquareCheck } from '@tabler/icons-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { DiffView, type DiffExtras } from './diff-view.tsx'
import { DiffToolbar } from './diff-toolbar.tsx'
import { useSplitDiffs } from './settings/diff-settings.ts'
import type { DiffFile } from '#domain/tools/unified-diff.ts'
import type { WholeFile } from './use-whole-file.ts'

/** Larger files are slow to draw, so their gaps are opened one by one. */
const maxWholeLines = 5_000

/** The files of a difference with their hunks. `ownsKeys`: they use the keys of the page. */
export function Files({
  files,
  ownsKeys,
  onVisible,
  whole,
  notes,
}: {
  files: readonly DiffFile[]
  ownsKeys: boolean
  onVisible: (isComplete: boolean) => void
  /** the file, if there is exactly one and its bytes are stored; null otherwise */
  whole: WholeFile | null
  notes?: DiffExtras['notes']
}) {
  const split = useSplitDiffs()
  const [viewedFiles, setViewedFiles] = useState<ReadonlySet<number>>(new Set())
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
    setViewedFiles((before) => {
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
      {ownsKeys && (
        <DiffToolbar>
          <WholeToggle whole={whole} />
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
          <div className="row spread file-head">
            <code>
              <VisibleText text={nameOf(file)} />
            </code>
            {ownsKeys && (
              <Button
                size="compact-xs"
                variant={viewedFiles.has(index) ? 'light' : 'subtle'}
                color="gray"
                aria-pressed={viewedFiles.has(index)}
                leftSection={
                  viewedFiles.has(index) ? (
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
          <FileDifference
            file={file}
            index={index}
            split={split}
            whole={whole}
            notes={notes}
            onVisible={report}
          />
        </div>
      ))}
    </div>
  )
}

function FileDifference(
  props: {
    file: DiffFile
    index: number
    split: boolean
    onVisible: (index: number, isComplete: boolean) => void
  } & Pick<DiffExtras, 'whole' | 'notes'>,
) {
  const { index, onVisible, ...rest } = props
  const onComplete = useCallback(
    (isComplete: boolean) => onVisible(index, isComplete),
    [onVisible, index],
  )
  return <DiffView {...rest} onComplete={onComplete} />
}

function WholeToggle({ whole }: { whole: WholeFile | null }) {
  if (whole === null || whole.problem !== null) return null
  const isLong = (whole.lines?.length ?? 0) > maxWholeLines
  return (
    <Button
      size="compact-sm"
      variant={whole.isWhole ? 'light' : 'subtle'}
      color="gray"
      aria-pressed={whole.isWhole}
      disabled={isLong}
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
