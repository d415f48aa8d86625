import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { Hash } from '../../text/hash.tsx'
import { VisibleText } from '../../text/visible-text.tsx'

/** The rule that asks: its text, where it is written, and in which version of the policy. */
export function WhyAsked({ request }: { request: RequestDetail }) {
  const { rule } = request
  return (
    <section className="card" aria-labelledby="why-title">
      <h2 id="why-title">Why am I asked</h2>
      <p>
        <VisibleText text={rule.text} />
      </p>
      <p className="dim small facts-line">
        {rule.source !== null && (
          <>
            <code>
              <VisibleText text={rule.source} />
            </code>{' '}
            ·{' '}
          </>
        )}
        rule{' '}
        <code>
          <VisibleText text={rule.id} />
        </code>{' '}
        · policy <Hash value={request.policyDigest} what="policy digest" /> · queue {request.queue}
      </p>
    </section>
  )
}
