import { useState } from 'react'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { FoldButton, useCut } from '../../states/fold.tsx'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'

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
  const isFoldable = isCut || text.includes('\n')
  return (
    <section className="card-task" aria-label="Task">
      <p ref={ref} className={open ? 'task-words' : 'task-words task-folded'}>
        <span className="task-label">{task === null ? 'Task, as the program says' : 'Task'}</span>{' '}
        <VisibleText text={text} />
      </p>
      <p className="dim small">
        {task !== null && (
          <>
            {task.by?.name ?? 'not from a person'}, <Time at={task.at} />
            {task.later > 0 && <>, {laterWords(task.later)} since</>}
          </>
        )}
        {isFoldable && <FoldButton what="task" isOpen={open} onToggle={() => setOpen(!open)} />}
      </p>
    </section>
  )
}

function laterWords(later: number): string {
  return later === 1 ? '1 message' : `${later} messages`
}

/** The task on one line of a list, which has the whole line as its tooltip (`taskLineOf`). */
export function TaskLine({ request }: { request: Pick<RequestItem, 'task' | 'claimedTask'> }) {
  const line = taskLineOf(request)
  if (line === '') return null
  return (
    <span className="task-line">
      <VisibleText text={line} />
    </span>
  )
}

/** The first line of the task; empty if there is no task. Pure. */
export function taskLineOf(request: Pick<RequestItem, 'task' | 'claimedTask'>): string {
  const text = request.task?.text ?? request.claimedTask ?? ''
  return text.slice(0, 300).split('\n', 1)[0] ?? ''
}
