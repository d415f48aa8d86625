import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callApi } from '../api/call-api.ts'
import { everyPage } from '../api/every-page.ts'
import { useMe } from '../api/queries.ts'
import { announce } from '../states/announce.tsx'
import { Failure } from '../states/failure.tsx'
import { Hash } from '../text/hash.tsx'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { useAttempt } from '../states/use-attempt.ts'

/** Passkeys that wait for a second person. Needs the right `managePeople`. */
export function ConfirmPasskeys() {
  const { person } = useMe()
  const client = useQueryClient()
  const { attempt, refusal } = useAttempt()
  const everybodys = useQuery({
    queryKey: ['credentials', 'everybody'],
    queryFn: ({ signal }) =>
      everyPage((page) =>
        callApi('listCredentials', { query: { of: 'everybody', ...page }, signal }),
      ),
  })
  const openPasskeys = everybodys.data?.items.filter(
    (one) => one.confirmed === null && one.person.id !== person.id,
  )
  const confirm = (id: string, who: string): Promise<boolean> =>
    attempt(async () => {
      await callApi('confirmCredential', { params: { id } })
      announce(`${who} can now sign decisions with this passkey`)
      await client.invalidateQueries({ queryKey: ['credentials'] })
    })
  return (
    <>
      <h3>Passkeys to confirm</h3>
      {openPasskeys?.length !== 0 && (
        <p className="dim small">
          Ask each person outside of this service whether the passkey is theirs, and compare the
          key.
        </p>
      )}
      <Failure query={everybodys} />
      {openPasskeys?.length === 0 && <p className="small">No passkey waits for confirmation.</p>}
      <ul className="plain-list">
        {openPasskeys?.map((one) => (
          <li key={one.id} className="account-row">
            <span className="grow break">
              {one.person.name} ({one.person.email}): <VisibleText text={one.name} />
              <br />
              <span className="dim small">
                registered <Time at={one.registeredAt} /> · key{' '}
                <Hash value={one.publicKeyHash} what="public key's hash" />
              </span>
            </span>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Confirm the passkey ${one.name} of ${one.person.name}`}
              onClick={() => void confirm(one.id, one.person.name)}
            >
              Confirm
            </Button>
          </li>
        ))}
      </ul>
      {refusal !== null && (
        <p role="alert" className="small break">
          {refusal}
        </p>
      )}
    </>
  )
}
