import { UnstyledButton } from '@mantine/core'
import { IconCheck, IconHandStop } from '@tabler/icons-react'
import { Fragment, useState } from 'react'
import type { ListedWorker } from '#api/schemas/operation/workers.ts'
import { LastCalls } from './last-calls.tsx'
import { phoneUntil, useMedia } from '../../states/use-media.ts'
import { cellOf, matrixColumns, type MatrixCell, type MatrixColumn } from './matrix-columns.ts'
import { RuleLines } from './rule-lines.tsx'
import { approvalLabels } from '#domain/text/policy-words.ts'
import './policy-matrix.css'

interface Place {
  readonly worker: string
  readonly column: MatrixColumn
}

/**
 * The matrix of policy: a row for each worker, a column for each kind of call, and in each cell the
 * rules behind it.
 */
export function PolicyMatrix({ workers }: { workers: readonly ListedWorker[] }) {
  const [open, setOpen] = useState<Place | null>(null)
  const isPhone = useMedia(phoneUntil)
  return (
    <>
      <div className="matrix-box scroll-edges">
        <table className="matrix" aria-label="What each worker may do">
          <thead>
            <tr>
              <th scope="col">Worker</th>
              {matrixColumns.map(({ id, title }) => (
                <th key={id} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {workers.map((worker) => (
              <Fragment key={worker.name}>
                <tr>
                  <th scope="row">{worker.name}</th>
                  {matrixColumns.map(({ id, title }) => {
                    const isOpen = open?.worker === worker.name && open.column === id
                    return (
                      <td key={id} data-title={title}>
                        <UnstyledButton
                          className="matrix-cell"
                          aria-expanded={isOpen}
                          onClick={() =>
                            setOpen(isOpen ? null : { worker: worker.name, column: id })
                          }
                        >
                          <span className="visually-hidden">
                            {worker.name}, {title}:{' '}
                          </span>
                          <Ways cell={cellOf(worker, id)} />
                        </UnstyledButton>
                        {isOpen && isPhone && (
                          <div className="matrix-detail">
                            <Rules worker={worker} column={id} />
                          </div>
                        )}
                      </td>
                    )
                  })}
                </tr>
                {open?.worker === worker.name && !isPhone && (
                  <tr className="matrix-detail">
                    <td colSpan={matrixColumns.length + 1}>
                      <Rules worker={worker} column={open.column} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
      <p className="dim small matrix-legend">
        What a cell does not name, the worker never does. Open a cell for its rules.
      </p>
    </>
  )
}

const icons = { preApproved: IconCheck, ask: IconHandStop } as const

function Ways({ cell }: { cell: MatrixCell }) {
  return cell.ways.map(({ approval, queues, places }) => {
    const key = `${approval} ${queues.join(' ')}`
    if (approval === 'blocked') {
      return (
        <span key={key} className="matrix-blocked">
          <span aria-hidden>–</span>
          <span className="visually-hidden">{approvalLabels.blocked}</span>
        </span>
      )
    }
    const Icon = icons[approval]
    return (
      <span key={key} className={`matrix-way matrix-${approval}`}>
        <Icon size={13} aria-hidden /> {approvalLabels[approval]}
        {queues.length > 0 && ` ${queues.join(', ')}`}
        {places.length > 0 && (
          <span className="matrix-places">
            {' '}
            {places.slice(0, 3).join(', ')}
            {places.length > 3 && ` and ${places.length - 3} more`}
          </span>
        )}
      </span>
    )
  })
}

/** The sentences behind a cell, each with its file and line, and the last calls of its tools. */
function Rules({ worker, column }: { worker: ListedWorker; column: MatrixColumn }) {
  const { lines } = cellOf(worker, column)
  const tools = [...new Set(lines.flatMap((line) => line.tools))].filter(
    (tool) => !tool.endsWith('*'),
  )
  return (
    <div className="column small">
      {lines.length === 0 && <p className="dim">The worker has no tool for it.</p>}
      <RuleLines lines={lines} />
      {tools.length > 0 && <LastCalls worker={worker.name} tools={tools} />}
    </div>
  )
}
