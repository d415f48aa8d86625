import { IconBan, IconCheck, IconHandStop } from '@tabler/icons-react'
import type { StartPreviewView } from '#api/schemas/operation/workers.ts'
import type { ApprovalWord, RunMode } from '#domain/policy/verdict.ts'
import { TextAndReason } from '../../text/text-and-reason.tsx'
import './start-preview.css'

type Line = StartPreviewView['lines'][number]
type Queue = StartPreviewView['queues'][number]

/** What a mode does with calls that need an approval. */
const askTitles: Readonly<Record<RunMode, string>> = {
  prompt: 'Asks',
  strict: 'Denied in mode “Strict”',
  approve_all: 'Does without asking in mode “Approve all”',
}

/** What a run of the worker does without approval, whom it asks, and what is blocked. */
export function StartPreview({ preview, mode }: { preview: StartPreviewView; mode: RunMode }) {
  const of = (approval: ApprovalWord): Line[] =>
    preview.lines.filter((line) => line.approval === approval)
  const asks = of('ask')
  return (
    <section className="card column start-preview" aria-labelledby="preview-title">
      <h2 id="preview-title">What it may do</h2>
      <Part title="Without approval" icon="alone" lines={of('preApproved')} nothing="Nothing" />
      <Part title={askTitles[mode]} icon="asks" lines={asks} nothing="Nothing">
        {mode === 'prompt' &&
          preview.queues.map((queue) => (
            <QueuePeople
              key={`${queue.name} ${queue.quorum}`}
              queue={queue}
              refusal={preview.refusal?.detail}
            />
          ))}
      </Part>
      <Part title="Never" icon="never" lines={of('blocked')} nothing="Policy blocks nothing" />
      <p className="dim small">
        Under the policy in force. Policy judges each call when it is made.
      </p>
    </section>
  )
}

const icons = { alone: IconCheck, asks: IconHandStop, never: IconBan } as const

interface PartProps {
  readonly title: string
  readonly icon: keyof typeof icons
  readonly lines: readonly Line[]
  readonly nothing: string
  readonly children?: React.ReactNode
}

function Part({ title, icon, lines, nothing, children }: PartProps) {
  const Icon = icons[icon]
  return (
    <section className={`preview-part preview-${icon}`} aria-label={title}>
      <h3>
        <Icon size={15} aria-hidden /> {title}
      </h3>
      {lines.length === 0 ? (
        <p className="dim small">{nothing}</p>
      ) : (
        <>
          {children}
          <ul>
            {lines.map((line) => (
              <li key={`${line.text} ${line.source ?? ''}`}>
                <span>
                  <TextAndReason line={line} />
                </span>
                {line.source !== null && <code className="preview-source">{line.source}</code>}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

/**
 * The people who can decide, without the principals of the run. A problem that refuses the start is
 * shown above the preview and not repeated here.
 */
function QueuePeople({ queue, refusal }: { queue: Queue; refusal: string | undefined }) {
  const { name, quorum, people, problem } = queue
  const first = people.slice(0, 5)
  const more = people.length - first.length
  return (
    <p className={problem === null ? 'preview-queue' : 'preview-queue preview-unreachable'}>
      <strong>{name}</strong> <span className="dim">needs {quorum}:</span>{' '}
      {problem === refusal && 'nobody can decide'}
      {problem !== refusal &&
        (problem ??
          `${first.map((person) => person.name).join(', ')}${more > 0 ? ` and ${more} more` : ''}`)}
    </p>
  )
}
