import type { Explanation } from '#api/schemas/policy/policy.ts'
import type { Verdict } from '#domain/policy/verdict.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { verdictWords } from '../words/verdict-words.ts'
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
export function ExplainSteps({ steps }: { steps: Explanation['steps'] }) {
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
