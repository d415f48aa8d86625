import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { VisibleText } from '../../text/visible-text.tsx'

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
