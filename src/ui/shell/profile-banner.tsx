import { useMe } from '../api/queries.ts'

/** What every page of the development profile says of itself (api.md; product.md 17). */
export function ProfileBanner() {
  const { installation } = useMe()
  if (installation.profile !== 'development') return null
  return (
    <aside className="profile-banner" aria-label="Profile">
      <strong>Development profile.</strong>{' '}
      {installation.singlePerson
        ? 'One person may be everybody here: what is approved may be self-approved, and is marked so.'
        : 'Anyone on this machine who has the token can act as anyone.'}
    </aside>
  )
}
