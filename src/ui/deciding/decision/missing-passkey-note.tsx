import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { ownPasskeysQuery } from '../../passkeys/own-passkeys.ts'

/** No event says that a passkey was confirmed. */
const loadEveryMs = 10_000
const isConfirmed = ({ confirmed }: { readonly confirmed: unknown }): boolean => confirmed !== null

/**
 * Tells a person who has no passkey that can sign so, before they choose: the approval would be
 * refused after they have written its reason.
 */
export function MissingPasskeyNote() {
  const passkeys = useQuery({
    ...ownPasskeysQuery,
    refetchInterval: ({ state }) =>
      state.data?.items.some(isConfirmed) === true ? false : loadEveryMs,
  })
  const items = passkeys.data?.items
  if (items === undefined || items.some(isConfirmed)) return null
  return (
    <p className="obstacle">
      {items.length === 0 ? (
        <>
          Your approval needs a passkey, and you have none. <Link to="/account">Add a passkey</Link>{' '}
          and have somebody else confirm it.
        </>
      ) : (
        <>
          Your approval needs a passkey, and <Link to="/account">your passkey</Link> waits for
          somebody with the right managePeople to confirm it.
        </>
      )}{' '}
      A denial needs none.
    </p>
  )
}
