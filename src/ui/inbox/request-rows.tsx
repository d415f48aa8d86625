import type { RefObject } from 'react'
import { Link } from 'react-router'
import { TaskLine, taskLineOf } from '../deciding/card/task-line.tsx'
import { visibleString } from '../text/visible-string.ts'
import { WorkerShape } from '../text/worker-shape.tsx'
import { turnWords, type RowGroup } from './inbox-rows.ts'
import { RequestRow } from './request-row.tsx'

/**
 * The rows of the list. Rows of one turn are together, below a line that links to their change set.
 */
export function RequestRows(props: {
  container: RefObject<HTMLOListElement | null>
  groups: readonly RowGroup[]
  openId: string | null
  selected: ReadonlySet<string>
  onSelect: (id: string, on: boolean) => void
  snoozing: string | null
  onSnoozeClosed: (id: string) => void
  onSnoozed: (id: string) => void
}) {
  const { container, openId } = props
  return (
    <ol ref={container} className="request-list" aria-label="Requests">
      {props.groups.flatMap((group) => [
        group.turn !== null && <GroupLine key={`turn ${group.rows[0]?.item.id}`} group={group} />,
        ...group.rows.map((row) => (
          <RequestRow
            key={row.item.id}
            row={row}
            isGrouped={group.turn !== null}
            isOpened={openId === row.item.id || openId === String(row.item.number)}
            selected={props.selected.has(row.item.id)}
            onSelect={(on) => props.onSelect(row.item.id, on)}
            isSnoozing={props.snoozing === row.item.id}
            onSnoozeClosed={() => props.onSnoozeClosed(row.item.id)}
            onSnoozed={() => props.onSnoozed(row.item.id)}
          />
        )),
      ])}
    </ol>
  )
}

/** The line of a group: what its calls have in common. */
function GroupLine({ group: { turn, rows } }: { group: RowGroup }) {
  const first = rows[0]?.item
  if (turn === null || first === undefined) return null
  return (
    <li className="request-group">
      <Link to={`/runs/${turn.runId}/turns/${turn.turn}`}>
        {turnWords(rows)}
        <span className="visually-hidden">, decide together</span>
      </Link>
      <span className="dim">
        <WorkerShape name={first.worker ?? ''} />
        {first.worker}
      </span>
      <span className="request-group-task dim" title={visibleString(taskLineOf(first))}>
        <TaskLine request={first} />
      </span>
    </li>
  )
}
