import { useState } from 'react'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { cutText } from '#domain/text/quantities/cut-text.ts'
import { LinesView } from '../../effect/lines-view.tsx'
import { FoldButton, useCut } from '../../states/fold.tsx'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'

/** Of a longer task only so much is drawn while it is folded. Open, it is drawn in steps. */
const maxDrawnCharacters = 4_000

/**
 * The task of the run, by whom and when; a program's task is marked as its claim. It is folded,
 * because the effect is read first.
 */
export function Task({ request }: { request: Pick<RequestItem, 'task' | 'claimedTask'> }) {
  const { task, claimedTask } = request
  const [open, setOpen] = useState(false)
  const text = task?.text ?? claimedTask
  const { ref, isCut } = useCut<HTMLParagraphElement>(text ?? '', open)
  if (text === null) return null
  const isLong = text.length > maxDrawnCharacters
  const isFoldable = isCut || isLong || text.includes('\n')
  return (
    <section className="card-task" aria-label="Task">
      <p ref={ref} className={open ? 'task-words' : 'task-words task-folded'}>
        <span className="task-label">{task === null ? 'Task, as the program says' : 'Task'}</span>{' '}
        {!(open && isLong) && <VisibleText text={cutText(text, maxDrawnCharacters)} isProse />}
      </p>
      {open && isLong && <LinesView text={text} showFinalNewline={false} />}
      <p className="dim small">
        {task !== null && (
          <>
            {task.by?.name ?? 'not from a person'}, <Time at={task.at} />
            {task.later > 0 && <>, {countWords(task.later, 'message')} since</>}
          </>
        )}
        {isFoldable && <FoldButton what="task" isOpen={open} onToggle={() => setOpen(!open)} />}
      </p>
    </section>
  )
}
