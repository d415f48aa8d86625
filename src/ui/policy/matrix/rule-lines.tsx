import type { PreviewLineView } from '#api/schemas/operation/workers.ts'
import { TextAndReason } from '../../text/text-and-reason.tsx'
import { approvalLabels } from '#domain/text/policy-words.ts'

/** Sentences about what a worker may do, each with its verdict, its queues, and file and line. */
export function RuleLines({ lines }: { lines: readonly PreviewLineView[] }) {
  return (
    <ul className="plain-list rule-lines">
      {lines.map((line) => (
        <li key={`${line.approval} ${line.text} ${line.source ?? ''}`}>
          <span className={`matrix-way matrix-${line.approval}`}>
            {approvalLabels[line.approval]}
          </span>
          <span className="grow break">
            <TextAndReason line={line} />
            {line.queues.length > 0 && <span className="dim"> · {line.queues.join(', ')}</span>}
          </span>
          {line.source !== null && <code className="dim">{line.source}</code>}
        </li>
      ))}
    </ul>
  )
}
