import { useMe } from '../api/queries.ts'
import { Headline } from '../shell/headline.tsx'
import { CallbacksSection } from './callbacks-section.tsx'
import { KeysSection } from './keys-section.tsx'
import { PasskeysSection } from './passkeys-section.tsx'
import { NotificationsSection } from './notifications-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { SlackSection } from './slack-section.tsx'
import './account.css'

/** What belongs to the signed-in person: how they sign in, where they are signed in, and what acts for them. */
export function AccountPage() {
  const { person } = useMe()
  return (
    <>
      <div className="page-head">
        <Headline tab="Account">Your account</Headline>
      </div>
      <p className="dim account-person">
        {person.name} · {person.email} ·{' '}
        {person.teams.length > 0 ? `teams: ${person.teams.join(', ')}` : 'in no team'}
      </p>
      <div className="column account-sections">
        <SessionsSection />
        <NotificationsSection />
        <SlackSection />
        <PasskeysSection />
        <KeysSection />
        <CallbacksSection />
      </div>
    </>
  )
}
