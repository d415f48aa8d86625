import { createTwoFilesPatch } from 'diff'
import { useMemo } from 'react'
import { DiffView } from './diff-view.tsx'
import { LinesView } from './lines-view.tsx'
import { parseUnifiedDiff } from '#domain/tools/unified-diff.ts'

/**
 * The difference of two texts, computed in the browser. If they differ too much, they are shown one
 * after the other.
 */
export function TextDifference({ before, after }: { before: string; after: string }) {
  const file = useMemo(() => {
    // If neither text has a final line feed, that is not a difference.
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
