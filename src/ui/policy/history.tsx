import { useState } from 'react'
import type { PolicyActivation } from '#api/schemas/policy/policy.ts'
import { useMe, usePolicyActivations, usePolicyDifference } from '../api/queries.ts'
import { Failure } from '../states/failure.tsx'
import { ShowMore } from '../states/show-more.tsx'
import { ActivationWords, commitProof } from './activation-note.tsx'
import { DigestProof } from './digest-proof.tsx'
import { VersionDifference } from './version-difference.tsx'

/** The activations of versions: who agreed, and for people with the right, what each changed. */
export function History() {
  const activations = usePolicyActivations()
  const { rights } = useMe().person
  const maySee = rights.includes('activatePolicy') || rights.includes('readAudit')
  const items = activations.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <section className="card column" aria-labelledby="history-title">
      <h2 id="history-title">Versions</h2>
      <Failure query={activations} />
      <ul className="column">
        {items.map((one) => (
          <Activation key={one.sequence} activation={one} maySee={maySee} />
        ))}
      </ul>
      <ShowMore list={activations} words="Show older versions" />
    </section>
  )
}

function Activation(props: { activation: PolicyActivation; maySee: boolean }) {
  const { activation, maySee } = props
  return (
    <li className="small">
      <p>
        {activation.sequence}. <ActivationWords activation={activation} />
      </p>
      {maySee && activation.previousDigest !== null && <Changed activation={activation} />}
      <DigestProof
        digests={[
          { of: 'this version', value: activation.digest, what: 'policy digest' },
          ...commitProof(activation.note),
        ]}
      />
    </li>
  )
}

function Changed({ activation }: { activation: PolicyActivation }) {
  const [open, setOpen] = useState(false)
  const versions = { from: activation.previousDigest ?? '', to: activation.digest }
  const difference = usePolicyDifference(versions, open)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What it changed</summary>
      <Failure query={difference} />
      {difference.data !== undefined && <VersionDifference difference={difference.data} />}
    </details>
  )
}
