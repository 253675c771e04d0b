/** What is injected by name. */
export const LOGGER = Symbol('logger');
export const SERVED = Symbol('served');
