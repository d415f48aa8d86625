import { NativeSelect } from '@mantine/core'
import { useRef, useState } from 'react'
import type { Explanation } from '#api/schemas/policy/policy.ts'
import type { Verdict } from '#domain/policy/verdict.ts'
import { callApi } from '../api/call-api.ts'
import { Risk } from '../deciding/facts/risk.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { verdictWords } from '../words/verdict-words.ts'
import { CallFields, type Call } from './call-fields.tsx'
import { QuickVerdicts } from './quick-verdicts.tsx'
import { useAttempt } from '../states/use-attempt.ts'
import { DigestProof } from './digest-proof.tsx'

/** What each step judges, in words; a step that is not here is shown under its own name. */
const stepTitles: Readonly<Record<string, string>> = {
  known: 'Tool',
  canonical: 'Input',
  cues: 'Cues',
  capability: 'Reach',
  command: 'Command',
  consent: 'Rule',
  unchanged: 'Change',
  mode: 'Run mode',
  grant: 'Grant',
  routing: 'Routing',
  presentation: 'Presentation',
}

/** Outcomes that say no more than the detail; others name a queue, a mode or what is hidden. */
const plainOutcomes: ReadonlySet<string> = new Set(['yes', 'none', 'no'])

/** How the verdict was reached, in order. The digest of the call is under Proof. */
function ExplainSteps({ steps }: { steps: Explanation['steps'] }) {
  const digest = steps.find(isDigest)?.detail
  return (
    <>
      <ol className="plain-list" aria-label="Steps">
        {steps
          .filter((step) => !isDigest(step))
          .map(({ step, outcome, detail }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- steps keep their order
            <li key={index}>
              <span className="step-title dim">{stepTitles[step] ?? step}</span>
              <span className="grow break">
                {!isVerdict(outcome) && !plainOutcomes.has(outcome) && (
                  <span className="dim">
                    <VisibleText text={outcome} />:{' '}
                  </span>
                )}
                <VisibleText text={detail} />
              </span>
              {isVerdict(outcome) && <span className="dim">{verdictWords[outcome]}</span>}
            </li>
          ))}
      </ol>
      {digest !== undefined && (
        <DigestProof digests={[{ of: 'the call', value: digest, what: 'digest of the call' }]} />
      )}
    </>
  )
}

/** Whether a step is that of a valid input, which has only the digest. */
function isDigest({ step, outcome }: Explanation['steps'][number]): boolean {
  return step === 'canonical' && outcome === 'yes'
}

function isVerdict(outcome: string): outcome is Verdict {
  return Object.hasOwn(verdictWords, outcome)
}

/** The verdict of policy for a hypothetical call, step by step. */
export function ExplainForm({ workers }: { workers: readonly string[] }) {
  const [worker, setWorker] = useState(workers[0] ?? '')
  return (
    <section className="card column explain" aria-labelledby="explain-title">
      <h2 id="explain-title">Explain a call</h2>
      <NativeSelect
        label="Worker"
        data={[...workers]}
        value={worker}
        onChange={(event) => setWorker(event.currentTarget.value)}
      />
      <QuickVerdicts worker={worker} />
      <h3>Any call, step by step</h3>
      <AnyCall key={worker} worker={worker} />
    </section>
  )
}

/** The form for a call of one worker, and the verdict of that call until the form changes. */
function AnyCall({ worker }: { worker: string }) {
  const [answer, setAnswer] = useState<Explanation | null>(null)
  const changes = useRef(0)
  const { attempt, busy, refusal } = useAttempt()
  const explain = (readCall: () => Call): void => {
    setAnswer(null)
    const before = changes.current
    void attempt(async () => {
      const explanation = await callApi('explainCall', { body: { worker, ...readCall() } })
      if (changes.current === before) setAnswer(explanation)
    })
  }
  const forget = (): void => {
    changes.current += 1
    setAnswer(null)
  }
  return (
    <>
      <div className="column" onChange={forget}>
        <CallFields worker={worker} busy={busy} explain={explain} />
      </div>
      {refusal !== null && <p role="alert">{refusal}</p>}
      {answer !== null && <Explained answer={answer} />}
    </>
  )
}

function Explained({ answer }: { answer: Explanation }) {
  return (
    <div className="column explanation" role="status">
      <p className="row">
        <strong className="verdict-word">{verdictWords[answer.verdict]}</strong>
        {answer.risk !== undefined && <Risk risk={answer.risk} />}
        {answer.queue !== undefined && <span className="dim small">queue {answer.queue}</span>}
      </p>
      <p>
        <VisibleText text={answer.reason} />
      </p>
      {answer.rule !== null && (
        <p className="small dim">
          rule <code>{answer.rule.id}</code>
          {answer.rule.source !== null && (
            <>
              {' '}
              in <code>{answer.rule.source}</code>
            </>
          )}
        </p>
      )}
      <ExplainSteps steps={answer.steps} />
    </div>
  )
}
