import { createTwoFilesPatch } from 'diff'
import { useMemo } from 'react'
import { DiffView } from './diff-view.tsx'
import { LinesView } from './lines-view.tsx'
import { parseUnifiedDiff } from './unified-diff.ts'

/**
 * Two versions of a text as a difference, computed here; too unlike ones are shown one after the
 * other.
 */
export function TextDifference({ before, after }: { before: string; after: string }) {
  const file = useMemo(() => {
    // Where neither has a final line feed, that is no difference.
    const end = before.endsWith('\n') || after.endsWith('\n') ? '' : '\n'
    const options = { timeout: 300 }
    const patch = createTwoFilesPatch(
      'a/value',
      'b/value',
      before + end,
      after + end,
      '',
      '',
      options,
    )
    return patch === undefined ? null : (parseUnifiedDiff(patch)?.[0] ?? null)
  }, [before, after])
  if (file !== null) return <DiffView file={file} split={false} />
  return (
    <div className="column">
      <LinesView text={before} showFinalNewline />
      <LinesView text={after} showFinalNewline tone="added" />
    </div>
  )
}
