import type { z } from 'zod'
import type { personDetail } from '#api/schemas/access/auth.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { callApi } from '../api/call-api.ts'
import { useMe, usePeople } from '../api/queries.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { ShowMore } from '../states/show-more.tsx'
import { useFocusReturn } from '../states/use-focus-return.ts'
import { Moment, Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { verbs } from '../words/verbs.ts'

type Person = z.infer<typeof personDetail>

/**
 * Everybody whom the project names or once named, with their teams and absences. With the right
 * `managePeople` one also sees how they sign in and act, and disables them here.
 */
export function PeopleOfProject() {
  const { person } = useMe()
  const list = usePeople()
  const manages = person.rights.includes('managePeople')
  const people = list.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <section className="card" aria-labelledby="people-title">
      <h2 id="people-title">People</h2>
      {list.isPending && <Loading what="the people" lines={3} />}
      <Failure query={list} />
      <ul className="plain-list">
        {people.map((one) => (
          <Row key={one.id} person={one} isSelf={one.id === person.id} manages={manages} />
        ))}
      </ul>
      <ShowMore list={list} />
    </section>
  )
}

function Row(props: { person: Person; isSelf: boolean; manages: boolean }) {
  const { person, isSelf, manages } = props
  const { name, email, teams, disabledAt, awayUntil, access } = person
  const isActive = disabledAt === null
  const row = useFocusReturn<HTMLLIElement>(isActive)
  return (
    <li ref={row} tabIndex={-1} className="person">
      <span className="grow break">
        <VisibleText text={name} />
        <span className="dim small">
          {' '}
          · <VisibleText text={email} />
        </span>
        {isActive && (access !== null || awayUntil !== null) && (
          <span className="dim small person-access">
            {awayUntil !== null && (
              <>
                away until <Moment at={awayUntil} />
                {access !== null && ' · '}
              </>
            )}
            {access !== null && <Access access={access} />}
          </span>
        )}
      </span>
      {disabledAt === null ? (
        <span className="dim small">
          {teams.length === 0 ? 'in no team' : `teams: ${teams.join(', ')}`}
        </span>
      ) : (
        <span className="dim small">
          disabled since <Moment at={disabledAt} />
        </span>
      )}
      {manages && isActive && (
        <ConfirmButton
          label={verbs.disable}
          row={name}
          confirm="Disable for good"
          cancelLabel={verbs.cancel}
          reason={null}
          act={() => callApi('disablePerson', { params: { email } })}
          card={{
            title: isSelf ? 'Disable your own account?' : `Disable ${name}?`,
            text: `${isSelf ? 'You are signed out at once. All your' : 'All their'} sessions, sign-in links and API keys end at once, and votes in quorums that are not met yet no longer count. It cannot be undone.`,
          }}
        />
      )}
    </li>
  )
}

/** What disabling a person would end. */
function Access({ access }: { access: NonNullable<Person['access']> }) {
  const { sessions, lastSeenAt, passkeys, keys } = access
  const counts = [
    passkeys === 0 ? '' : countWords(passkeys, 'passkey'),
    keys === 0 ? '' : countWords(keys, 'API key'),
  ].filter((text) => text !== '')
  return (
    <>
      {lastSeenAt === null ? (
        'not signed in'
      ) : (
        <>
          {countWords(sessions, 'session')}, last seen <Time at={lastSeenAt} />
        </>
      )}
      {counts.map((text) => ` · ${text}`)}
    </>
  )
}
