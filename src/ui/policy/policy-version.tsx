import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Fragment, useCallback, useState } from 'react'
import { errorMessage } from '#domain/error-message.ts'
import type { PolicyDifference, PolicyState } from '#api/schemas/policy/policy.ts'
import { callApi } from '../api/call-api.ts'
import { usePolicy, usePolicyDifference } from '../api/queries.ts'
import { useAct } from '../states/use-act.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { ActivationWords, commitProof } from './activation-note.tsx'
import { DigestProof } from './digest-proof.tsx'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { ReplayBefore } from './replay-before.tsx'
import { VersionDifference } from './version-difference.tsx'
import { verbs } from '../words/verbs.ts'

/**
 * The version in force and since when; for people who may activate, also the version of the folder
 * and the open proposal. Digests are under Proof.
 */
export function PolicyVersion({ digest }: { digest: string }) {
  const policy = usePolicy()
  if (policy.isPending) return <Loading what="the version" lines={2} />
  if (policy.isLoadingError) return <Failure query={policy} />
  const { activation, folder, proposal } = policy.data
  return (
    <section className="card column" aria-labelledby="version-title">
      <h2 id="version-title">Version</h2>
      {activation !== null && (
        <p className="small">
          <ActivationWords activation={activation} />
        </p>
      )}
      {folder !== null && <Problems folder={folder} />}
      {proposal !== null && <Waiting proposal={proposal} />}
      {folder?.state === 'changed' && <Change proposal={proposal} />}
      <DigestProof
        digests={[
          { of: 'the version in force', value: digest, what: 'policy digest' },
          ...commitProof(activation?.note ?? null),
          ...(proposal === null
            ? []
            : [{ of: 'the proposed version', value: proposal.digest, what: 'proposed digest' }]),
        ]}
      />
    </section>
  )
}

function Problems({ folder }: { folder: NonNullable<PolicyState['folder']> }) {
  const sentences = {
    in_force: 'The project folder holds this version.',
    changed: 'The project folder holds another version.',
    invalid: 'The project folder is not valid: the last valid version stays in force.',
    unreadable: 'The project folder cannot be read now: the service has too many files open.',
  }
  return (
    <>
      <p className="small" {...(folder.state === 'invalid' ? { role: 'alert' } : {})}>
        {sentences[folder.state]}
      </p>
      {folder.problems.length > 0 && (
        <ul className="plain-list">
          {folder.problems.map(({ file, line, problem, remedy, severity }) => (
            <li key={`${file} ${line} ${problem}`}>
              <span className="grow break small">
                <code>
                  <VisibleText text={line === null ? file : `${file}:${line}`} />
                </code>{' '}
                {severity}: <WithCode text={`${problem}; ${remedy}`} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** A text in which what stands between backticks is code. */
function WithCode({ text }: { text: string }) {
  const parts = text.split('`')
  if (parts.length % 2 === 0) return <VisibleText text={text} />
  return parts.map((part, index) => {
    // A space at the edge of a part is not at the edge of the text, where it would be marked.
    const words = <VisibleText text={part.replace(/^ | $/g, '')} />
    return (
      // The parts have no key but their index: each second one is code.
      // eslint-disable-next-line react/no-array-index-key
      <Fragment key={index}>
        {part.startsWith(' ') && ' '}
        {index % 2 === 1 ? <code>{words}</code> : words}
        {part.endsWith(' ') && ' '}
      </Fragment>
    )
  })
}

function Waiting({ proposal }: { proposal: NonNullable<PolicyState['proposal']> }) {
  const act = useAct(['policy'])
  const withdraw = () =>
    act(() => callApi('withdrawPolicyProposal', { params: { id: proposal.id } }))
  return (
    <div className="row">
      <p className="small grow">
        {proposal.proposedBy.name} proposed a version <Time at={proposal.proposedAt} />; it ends{' '}
        <Time at={proposal.expiresAt} />.{' '}
        {proposal.isCurrent
          ? 'It waits for a second person.'
          : 'The folder or the version in force has changed since. Propose the version again.'}
      </p>
      <Button variant="default" size="compact-sm" onClick={() => void withdraw()}>
        {verbs.withdraw}
      </Button>
    </div>
  )
}

/** The difference, and the button that agrees to exactly this difference. */
function Change({ proposal }: { proposal: PolicyState['proposal'] }) {
  const client = useQueryClient()
  const difference = usePolicyDifference({}, true)
  const [round, setRound] = useState(0)
  if (difference.isPending) return <Loading what="the difference" lines={3} />
  if (difference.isLoadingError) return <Failure query={difference} />
  const showNew = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: ['policy'] })
    setRound(round + 1)
  }
  return (
    <ShownChange
      key={round}
      newest={difference.data}
      proposal={proposal}
      onShowNew={() => void showNew()}
    />
  )
}

/** The difference as it was first loaded. A newer one takes its place only by a click. */
function ShownChange(props: {
  newest: PolicyDifference
  proposal: PolicyState['proposal']
  onShowNew: () => void
}) {
  const { newest, proposal, onShowNew } = props
  const client = useQueryClient()
  const [difference] = useState(newest)
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<string | null>(null)
  const [hasFolderChanged, setFolderChanged] = useState(false)
  const onFolderChanged = useCallback(() => setFolderChanged(true), [])
  const { from, secondPerson, to } = difference
  const isOld = hasFolderChanged || newest.to !== to || newest.from !== from
  const activate = async (): Promise<void> => {
    setBusy(true)
    try {
      const answer = await callApi('activatePolicy', { body: { digest: to } })
      setOutcome(
        answer.state === 'proposed' ? 'Proposed. A second person has to agree.' : 'In force.',
      )
    } catch (error) {
      setOutcome(errorMessage(error))
    }
    await client.invalidateQueries()
    setBusy(false)
  }
  const isOwn = proposal?.isCurrent === true && !proposal.canConfirm
  const words = outcome ?? (isOld ? 'The difference has changed since it was shown.' : null)
  return (
    <div className="column">
      {secondPerson.length > 0 && (
        <p>
          A second person has to agree: it changes who decides (
          {[...new Set(secondPerson.map((change) => change.at))].join(', ')}).
        </p>
      )}
      <VersionDifference difference={difference} />
      <ReplayBefore digest={to} onFolderChanged={onFolderChanged} />
      {words !== null && <p role="status">{words}</p>}
      {isOld ? (
        <div>
          <Button variant="default" onClick={onShowNew}>
            Show the new difference
          </Button>
        </div>
      ) : (
        !isOwn && (
          <div>
            <Button loading={busy} onClick={() => void activate()}>
              {buttonWords(secondPerson.length > 0, proposal?.canConfirm === true)}
            </Button>
          </div>
        )
      )}
    </div>
  )
}

function buttonWords(takesTwo: boolean, isSecond: boolean): string {
  if (isSecond) return 'Agree as the second person'
  return takesTwo ? 'Propose this version' : 'Activate this version'
}
