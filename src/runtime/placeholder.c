int proact_placeholder(void);
int proact_placeholder(void) { return 0; }
