import { useMutation, useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { type PasswordBody, ROUTES, type Session, type SetupBody, type LoginBody } from '../../src/api';
import { get, post } from '../api/call';
import { client, SESSION } from '../api/client';

export type LoggedIn = Extract<Session, { state: 'in' }>;

/** Who is logged in, for the pages that only they see. */
export const SessionContext = createContext<LoggedIn | undefined>(undefined);

export const useSessionQuery = () =>
  useQuery({ queryKey: SESSION, queryFn: () => get<Session>(ROUTES.session), staleTime: 60_000, refetchOnWindowFocus: true });

/** The session, and what its role allows; the server decides all the same. */
export function useSession() {
  const session = useContext(SessionContext);
  if (!session) throw new Error('Nobody is logged in here.');
  const { role } = session.account;
  return { ...session, role, canAct: role !== 'viewer', isOwner: role === 'owner' };
}

/** A change of who is logged in, or where: what was held for the session before is forgotten. */
function useSessionChange<Body extends object>(path: string) {
  return useMutation({
    mutationFn: (body: Body) => post<Session>(path, body),
    meta: { isShownByForm: true },
    onSuccess(session) {
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
      client.setQueryData(SESSION, session);
    },
  });
}

export const useSetup = () => useSessionChange<SetupBody>(ROUTES.setup);
export const useLogin = () => useSessionChange<LoginBody>(ROUTES.login);
export const useLogout = () => useSessionChange<Record<string, never>>(ROUTES.logout);
export const useAccountSwitch = () => useSessionChange<{ accountId: string }>(ROUTES.switchAccount);
export const usePasswordChange = () => useSessionChange<PasswordBody>(ROUTES.password);
