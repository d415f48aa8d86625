import { Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import {
  IconBaselineDensitySmall,
  IconBook,
  IconLogout,
  IconUserCheck,
  IconUserCog,
} from '@tabler/icons-react'
import { Link } from 'react-router'
import type { SignedOut } from '#api/schemas/access/auth.ts'
import { callApi, isSessionEnd } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { forgetSessionProof } from '../api/session-proof.ts'
import { KeyMenu } from '../floating/key-menu.tsx'
import type { MenuOfButton } from '../floating/use-menu-button.ts'
import { commandLabel } from '../keyboard/commands.ts'
import { deleteProof } from '../push/session-proof-cache.ts'
import { discardDecisions } from '../sending/lost-decisions.ts'
import { setRowDensity, useRowDensity } from '../styles/row-density.ts'
import { showError } from '../states/show-error.ts'

/**
 * The menu of the signed-in person: account, row height, documentation, the sign-out and, in the
 * development profile, the switch to another person.
 */
export function PersonItems({ menu }: { menu: MenuOfButton }) {
  const me = useMe()
  const changePerson = useChangeOfPerson()
  const isCompact = useRowDensity() === 'compact'
  const others = me.switchTo.filter((person) => person.email !== me.person.email)
  return (
    <KeyMenu menu={menu} width={270}>
      <Menu.Label>
        {me.person.email}
        <br />
        {me.person.teams.length > 0 ? `Teams: ${me.person.teams.join(', ')}` : 'In no team'}
      </Menu.Label>
      <Menu.Item component={Link} to="/account" leftSection={<IconUserCog size={16} aria-hidden />}>
        Your account
      </Menu.Item>
      <Menu.Item
        leftSection={<IconBaselineDensitySmall size={16} aria-hidden />}
        onClick={() => setRowDensity(isCompact ? 'roomy' : 'compact')}
      >
        {commandLabel(isCompact ? 'roomyRows' : 'compactRows')}
      </Menu.Item>
      <Menu.Item component="a" href="/docs" leftSection={<IconBook size={16} aria-hidden />}>
        Documentation
      </Menu.Item>
      {others.length > 0 && <Menu.Divider />}
      {others.length > 0 && <Menu.Label>Development profile: act as</Menu.Label>}
      {others.map((person) => (
        <Menu.Item
          key={person.email}
          leftSection={<IconUserCheck size={16} aria-hidden />}
          onClick={() => void changePerson(() => switchTo(person.email))}
        >
          {person.name}
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item
        leftSection={<IconLogout size={16} aria-hidden />}
        onClick={() => void changePerson(signOut)}
      >
        Sign out
      </Menu.Item>
    </KeyMenu>
  )
}

/** Signs out or switches to another person, and removes what belongs to the present one. */
function useChangeOfPerson(): (work: () => Promise<Partial<SignedOut>>) => Promise<void> {
  const client = useQueryClient()
  return async (work) => {
    try {
      const answer = await work()
      // They belong to the person who left, and the end of the page must not send them.
      discardDecisions()
      // The next person must not see cached data of this one.
      client.clear()
      await client.invalidateQueries()
      // The provider asks the person whether to sign out there too.
      if (answer.providerUrl) window.location.assign(answer.providerUrl)
      else window.location.reload()
    } catch (error) {
      showError(error)
    }
  }
}

async function signOut(): Promise<Partial<SignedOut>> {
  const answer = await callApi('signOut').catch((error: unknown) => {
    // The session has ended already, as by another tab.
    if (isSessionEnd(error)) return {}
    throw error
  })
  forgetSessionProof()
  // Removes what this tab keeps of the person: what was typed and not sent, and what was read.
  sessionStorage.clear()
  // The page loads anew, whether or not the browser lets it delete the cache.
  await deleteProof().catch(() => undefined)
  return answer
}

async function switchTo(email: string): Promise<object> {
  await callApi('switchPerson', { body: { email } })
  return {}
}
